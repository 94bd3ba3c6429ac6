import dns.rdata
import dns.rdataclass
import dns.rdatatype
import pytest

from afterdrop.sources.dns.answers import (
    TYPES,
    DnsRecord,
    DnsReply,
    DnsResult,
    HostAnswers,
    ReplyStatus,
    dmarc_names,
    dns_result,
    has_dmarc,
    has_mail,
    has_spf,
    read_records,
)


def rdata(kind: str, text: str) -> dns.rdata.Rdata:
    return dns.rdata.from_text(dns.rdataclass.IN, dns.rdatatype.from_text(kind), text)


@pytest.mark.parametrize(
    ("kind", "text", "record"),
    [
        ("A", "93.184.216.34", DnsRecord("93.184.216.34", 60)),
        ("AAAA", "2606:2800:220:1::1", DnsRecord("2606:2800:220:1::1", 60)),
        ("CNAME", "Target.Example.COM.", DnsRecord("target.example.com", 60)),
        ("NS", "ns1.example.com.", DnsRecord("ns1.example.com", 60)),
        ("MX", "10 mx.example.com.", DnsRecord("mx.example.com", 60, "10")),
        ("MX", "0 .", DnsRecord(".", 60, "0")),
        ("TXT", '"v=spf1 " "-all"', DnsRecord("v=spf1 -all", 60)),
        ("TXT", r'"\000\255"', DnsRecord("��", 60)),
        ("SOA", "ns1.a.com. host.a.com. 1 2 3 4 5", DnsRecord("ns1.a.com", 60, "host.a.com 1 2 3 4 5")),
        ("CAA", '0 issue "letsencrypt.org"', DnsRecord("letsencrypt.org", 60, "0 issue")),
        ("HINFO", '"a" "b"', DnsRecord('"a" "b"', 60)),
    ],
)
def test_every_type_has_value_and_extra(kind: str, text: str, record: DnsRecord) -> None:
    assert read_records([rdata(kind, text)], 60).records == (record,)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("A", "10.0.0.1"),
        ("A", "127.0.0.1"),
        ("AAAA", "fd00::1"),
        ("AAAA", "::ffff:192.168.0.1"),
        ("A", "169.254.1.1"),
    ],
)
def test_private_addresses_are_withheld_and_counted(kind: str, text: str) -> None:
    reply = read_records([rdata(kind, text)], 60)
    assert (reply.records, reply.withheld) == ((), 1)


def test_mail_servers_are_sorted_by_preference_and_other_records_by_value() -> None:
    mx = read_records([rdata("MX", "100 a.com."), rdata("MX", "20 b.com."), rdata("MX", "9 c.com.")], 60)
    assert [record.value for record in mx.records] == ["c.com", "b.com", "a.com"]
    ns = read_records([rdata("NS", "ns2.a.com."), rdata("NS", "ns1.a.com.")], 60)
    assert [record.value for record in ns.records] == ["ns1.a.com", "ns2.a.com"]


@pytest.mark.parametrize(
    ("text", "policy"),
    [("v=spf1 -all", True), ("V=SPF1", True), ("v=spf10 -all", False), ("x v=spf1", False), ("", False)],
)
def test_spf(text: str, policy: bool) -> None:
    assert has_spf([DnsRecord(text, 60)]) is policy


def test_several_spf_records_are_none_and_other_texts_do_not_count() -> None:
    spf, other = DnsRecord("v=spf1 -all", 60), DnsRecord("site-verification=v=spf1", 60)
    assert has_spf([other, spf, DnsRecord("spf2.0/pra -all", 60)])
    assert not has_spf([spf, other, DnsRecord("V=SPF1 mx", 60)])


def test_an_spf_record_in_several_strings_is_one() -> None:
    assert has_spf(read_records([rdata("TXT", '"v=sp" "f1 -all"'), rdata("TXT", '"v=" "spf"')], 60).records)


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("v=DMARC1; p=none", True),
        ("V=DMARC1; p=none", True),
        ("v = DMARC1 ;p=none", True),
        ("v=DMARC1\t;p=none", True),
        ("v\t=\tDMARC1 \t ;\tp=none", True),
        (" v=DMARC1\t", True),
        ("v=dmarc1;", True),
        ("v=DM ARC1;", False),
        ("v=DMARC1\n;", False),
        ("v=DMARC1\u00a0;", False),
        ("v=DMARC1 p=none", False),
        ("v=DMARC10;", False),
        ("p=none; v=DMARC1", False),
    ],
)
def test_dmarc(text: str, policy: bool) -> None:
    assert has_dmarc([DnsRecord(text, 60)]) is policy


def test_several_dmarc_records_are_none_and_other_texts_do_not_count() -> None:
    dmarc, other = DnsRecord("v=DMARC1; p=none", 60), DnsRecord("v=spf1 -all", 60)
    assert has_dmarc([other, dmarc])
    assert not has_dmarc([dmarc, DnsRecord("v=DMARC1; p=reject", 60)])


@pytest.mark.parametrize(
    ("host", "parents"),
    [
        ("a.com", ["com"]),
        ("www.a.co.uk", ["a.co.uk", "co.uk", "uk"]),
        ("b.c.d.e.f.g.h.i", ["c.d.e.f.g.h.i", "d.e.f.g.h.i", "e.f.g.h.i", "f.g.h.i", "g.h.i", "h.i", "i"]),
        ("a.b.c.d.e.f.g.h.i", ["c.d.e.f.g.h.i", "d.e.f.g.h.i", "e.f.g.h.i", "f.g.h.i", "g.h.i", "h.i", "i"]),
    ],
)
def test_the_tree_walk_has_the_host_and_at_most_seven_parents(host: str, parents: list[str]) -> None:
    assert dmarc_names(host) == [f"_dmarc.{name}" for name in (host, *parents)]


def result(
    dmarc: tuple[DnsReply, ...] = (DnsReply("ok"),), default: ReplyStatus = "ok", **replies: DnsReply
) -> DnsResult:
    everything = {kind: replies.get(kind, DnsReply(default)) for kind in TYPES}
    return dns_result(HostAnswers("a.com", everything, dmarc), None)


def test_one_failing_type_is_its_own_error() -> None:
    found = result(MX=DnsReply("servfail"))
    assert found["status"] == "ok"
    assert "MX" not in found["records"]
    assert found["errors"] == {"MX": "servfail"}
    assert found["has_mail"] is None


ADDRESS = DnsReply("ok", (DnsRecord("93.184.216.34", 60),))


@pytest.mark.parametrize(
    ("replies", "mail"),
    [
        ({}, False),
        ({"A": ADDRESS}, True),
        ({"AAAA": ADDRESS, "A": DnsReply("timeout")}, True),
        ({"A": DnsReply("timeout")}, None),
        ({"A": DnsReply("ok", withheld=1)}, False),
        ({"A": ADDRESS, "MX": DnsReply("servfail")}, None),
        ({"A": ADDRESS, "MX": DnsReply("ok", (DnsRecord(".", 60, "0"),))}, False),
        ({"A": DnsReply("timeout"), "MX": DnsReply("ok", (DnsRecord("mx.a.com", 60, "5"),))}, True),
    ],
)
def test_without_mx_records_mail_goes_to_the_addresses(
    replies: dict[str, DnsReply], mail: bool | None
) -> None:
    assert has_mail(dict.fromkeys(TYPES, DnsReply("ok")) | replies) is mail


@pytest.mark.parametrize(
    ("mx", "note"),
    [
        (DnsReply("ok"), "implicit MX"),
        (DnsReply("timeout"), None),
        (DnsReply("ok", (DnsRecord(".", 60, "0"),)), None),
    ],
)
def test_addresses_that_take_the_mail_say_so(mx: DnsReply, note: str | None) -> None:
    found = result(A=ADDRESS, AAAA=ADDRESS, MX=mx)["records"]
    assert [record["extra"] for record in found["A"] + found["AAAA"]] == [note, note]


POLICY = DnsReply("ok", (DnsRecord("v=DMARC1; p=none; psd=y", 60),))


@pytest.mark.parametrize(
    ("walk", "policy"),
    [
        ((DnsReply("nxdomain"), POLICY), True),
        ((DnsReply("timeout"), POLICY), True),
        ((DnsReply("ok", POLICY.records * 2), POLICY), True),
        ((DnsReply("ok", POLICY.records * 2), DnsReply("nxdomain")), False),
        ((DnsReply("nxdomain"), DnsReply("timeout")), None),
    ],
)
def test_a_policy_anywhere_on_the_walk_applies(walk: tuple[DnsReply, ...], policy: bool | None) -> None:
    assert result(dmarc=walk)["dmarc"] is policy


def test_dmarc_is_unknown_when_no_policy_was_asked_for() -> None:
    assert result(dmarc=())["dmarc"] is None
