"""Parked pages composed for the tests: one lander per provider fingerprint, and landers that only words give away."""

from __future__ import annotations

from dataclasses import dataclass

from afterdrop.review.page.parked import Provider, fingerprints

_SEARCHES = (
    "Car Insurance", "Online Casino", "Payday Loans", "Cheap Flights", "Credit Cards", "Dating Sites", "Web Hosting",
    "Mortgage Rates", "Viagra Online", "Sports Betting",
)  # fmt: skip


@dataclass(frozen=True)
class Lander:
    """One composed lander: what it is of, its expected kind, its bytes."""

    name: str
    kind: str
    body: bytes


def _page(domain: str, markup: str, title: str, inside: str) -> bytes:
    host = markup if "." in markup.split("/")[0] and " " not in markup else ""
    asset = (
        f'<script src="//{host}"></script>' if host else f"<!-- {markup} -->" if "<" not in markup else markup
    )
    return (
        f"<html><head><title>{title}</title>{asset}<meta name='robots' content='noindex'></head>"
        f"<body><h1>{domain}</h1>{inside}</body></html>"
    ).encode()


def _lander(provider: Provider, number: int) -> Lander:
    domain = f"lost-name{number}.com"
    piece = provider.markup[number % len(provider.markup)]
    if provider.kind == "pay_per_click":
        links = "".join(f"<li><a href='/search?q={word}'>{word}</a></li>" for word in _SEARCHES)
        inside = f"<ul>{links}</ul><p>Privacy policy</p>"
    elif provider.kind == "for_sale":
        inside = "<form><input name='offer'><button>Make an offer</button></form><p>Secure payment.</p>"
    else:
        inside = "<p>Welcome. More will follow.</p>"
    return Lander(f"{provider.name} {number}", provider.kind, _page(domain, piece, domain, inside))


def provider_landers() -> list[Lander]:
    """One lander for each provider that has markup of its own."""
    return [_lander(p, n) for n, p in enumerate(p for p in fingerprints().providers if p.markup)]


_WORDS = """
for_sale|en|quietmeadow.com|The domain quietmeadow.com is for sale. Make an offer or call our brokers today.
for_sale|en|Buy this domain - bluefern.net|Interested in this domain? The owner of bluefern.net is accepting offers.
for_sale|en|harborlights.org is available for purchase|Get started. Price: $2,495. Buy now or pay in instalments.
for_sale|de|waldblick.de steht zum Verkauf|Die Domain waldblick.de steht zum Verkauf. Jetzt Angebot abgeben.
for_sale|de|Domain zu verkaufen|Diese Domain kaufen Sie sicher über unseren Treuhandservice.
for_sale|fr|Ce nom de domaine est à vendre|Le domaine clairmoulin.fr est à vendre. Faites une offre.
for_sale|es|Este dominio está en venta|El dominio casaclara.es está en venta. Haga su oferta.
for_sale|it|Questo dominio è in vendita|Il dominio fontechiara.it è in vendita. Contatta il proprietario.
for_sale|nl|Deze domeinnaam is te koop|zonnehoek.nl is te koop. Doe een bod.
for_sale|pt|Este domínio está à venda|O domínio belaserra.com.br está à venda. Faça uma oferta.
for_sale|pl|Ta domena jest na sprzedaż|Domena jasnypotok.pl jest na sprzedaż. Złóż ofertę.
for_sale|ru|Домен продаётся|Домен tihiybor.ru продается. Отправьте свое предложение.
for_sale|tr|Bu alan adı satılıktır|yesilvadi.com satılıktır. Teklif vermek için formu doldurun.
for_sale|sv|Den här domänen är till salu|Domänen björkdalen.se är till salu. Lägg ett bud.
for_sale|cs|Doména na prodej|Tato doména je na prodej. Kontaktujte majitele.
for_sale|hu|Ez a domain eladó|A csendesvolgy.hu domain eladó. Tegyen ajánlatot.
for_sale|ro|Acest domeniu este de vânzare|Domeniul este de vânzare. Faceți o ofertă.
for_sale|ja|このドメインは販売中です|このドメインを購入するには、フォームからお問い合わせください。
for_sale|zh|域名出售|您正在访问的域名可以转让，有意者请联系。
for_sale|ko|이 도메인은 판매 중입니다|도메인 구매 문의를 남겨 주세요.
for_sale|uk|Цей домен продається|Домен продається. Напишіть нам вашу ціну.
pay_per_click|en|stonybrook.info|This domain is parked. Related searches: car insurance, credit cards, hotels.
hosting_placeholder|en|Domain expired|This domain name has expired. If you are the owner, click here to renew it.
pay_per_click|de|Domain ist geparkt|Diese Domain ist geparkt. Verwandte Suchbegriffe: Versicherung, Kredit, Reisen.
pay_per_click|fr|valclair.fr|Ce nom de domaine a expiré. Liens sponsorisés : assurance, crédit, voyages.
pay_per_click|es|Dominio aparcado|Este dominio está aparcado. Búsquedas relacionadas: seguros, hoteles.
pay_per_click|pl|Domena zaparkowana|Ta domena wygasła. Linki sponsorowane: kredyty, hotele.
hosting_placeholder|ru|Домен припаркован|Срок регистрации домена истек. Обратитесь к регистратору.
hosting_placeholder|ja|ドメインの有効期限が切れています|ドメインの有効期限が切れました。更新はこちら。
hosting_placeholder|en|Default web page|This is the default web page for this server. No content has been added yet.
hosting_placeholder|en|Welcome to your new website|You see this page because there is no web site at this address.
hosting_placeholder|de|Hier entsteht eine neue Internetpräsenz|Diese Domain wurde soeben registriert.
hosting_placeholder|fr|Ce domaine est réservé|Ce nom de domaine a été enregistré par un de nos clients.
hosting_placeholder|es|Este dominio está registrado|No hay ningún sitio web en esta dirección.
hosting_placeholder|it|Pagina di cortesia|Questo dominio è stato registrato da un nostro cliente.
hosting_placeholder|nl|Gereserveerd|Deze domeinnaam is geregistreerd voor een klant.
hosting_placeholder|pl|Strona w przygotowaniu|Domena została zarejestrowana przez naszego klienta.
hosting_placeholder|ru|Домен зарегистрирован|Этот домен зарегистрирован, но сайт не настроен.
hosting_placeholder|ja|このドメインは取得されています|サーバー初期画面です。
coming_soon|en|Coming soon|Our new website is on its way. Stay tuned!
coming_soon|en|Under construction|This site is under construction. Please come back later.
coming_soon|de|Im Aufbau|Unsere Website befindet sich im Aufbau.
coming_soon|fr|Site en construction|Notre site sera bientôt disponible.
coming_soon|es|Próximamente|Sitio web en construcción. Vuelva pronto.
coming_soon|it|Sito in costruzione|Torna presto a trovarci.
coming_soon|nl|Website in aanbouw|Binnenkort online.
coming_soon|pl|Strona w budowie|Zapraszamy wkrótce.
coming_soon|ru|Сайт в разработке|Скоро открытие. Следите за новостями.
coming_soon|tr|Yapım aşamasında|Sitemiz çok yakında hizmetinizde.
coming_soon|ja|準備中|ただいま準備中です。
"""


def worded_landers() -> list[Lander]:
    """Landers without any provider's markup, in nineteen languages."""
    found = []
    for number, row in enumerate(_WORDS.strip().splitlines()):
        kind, language, title, text = row.split("|")
        body = (
            f'<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title></head>'
            f"<body><div class='box'><p>{text}</p></div></body></html>"
        )
        found.append(Lander(f"{kind} {language} {number}", kind, body.encode()))
    return found
