import pytest

from afterdrop.sources.registry.rdap_fields import is_known, status_word


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        ("client transfer prohibited", "client transfer prohibited"),
        (
            "clientTransferProhibited https://icann.org/epp#clientTransferProhibited",
            "client transfer prohibited",
        ),
        ("clientHold (https://icann.org/epp#clientHold)", "client hold"),
        ("https://icann.org/epp#serverHold", "server hold"),
        ("https://icann.org/epp", ""),
        ("(https://icann.org/epp#serverHold)", "server hold"),
        ("server hold <https://icann.org/epp#clientHold> and more", "server hold"),
        ("HTTPS://icann.org/epp#", ""),
        ("ok", "active"),
        ("linked", "associated"),
        ("CLIENT DELETE PROHIBITED", "client delete prohibited"),
        ("client_delete_prohibited", "client delete prohibited"),
        ("PENDING DELETE RESTORABLE", "redemption period"),
        ("autoRenewPeriod", "auto renew period"),
        ("server recover prohibited", "server recover prohibited"),
        ("outOfZone", "out of zone"),
        ("", ""),
    ],
)
def test_every_spelling_becomes_the_rdap_word(raw: str, word: str) -> None:
    assert status_word(raw) == word


def test_known_words_are_told_from_a_registrys_own() -> None:
    assert is_known("pending restore")
    assert not is_known("server recover prohibited")
