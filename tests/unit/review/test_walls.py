"""Walls that stand before a site: notices of cookies, closed regions, old browsers; and honest pages in their"
" words."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page

# Title, body, the kind of error.
WALLS = [
    ("Before you continue to Tube", "<form><h1>Before you continue to Tube</h1><p>Sign in. We use cookies and"
     " data to</p>"
     "<ul><li>Deliver and maintain our services<li>Track outages and protect against spam, fraud, and abuse"
     "<li>Measure audience engagement and site statistics</ul><p>If you choose to “Accept all,” we will also use"
     " cookies"
     " and data to</p><ul><li>Develop and improve new services<li>Show personalized ads, depending on your"
     " settings</ul>"
     "<p>Non-personalized content is influenced by the content you're viewing and your location.</p>"
     "<button>Reject all</button><button>Accept all</button><a href=/o>More options</a></form>", "consent"),
    ("Yoohaa is now part of Oath", "<p>Oath and our partners need your consent to access your device, set"
     " cookies, and use"
     " your data, including your location, to understand your interests, provide relevant ads and measure their"
     " effectiveness.</p><form><input type=submit value=OK><button>OK</button> <a href=/m>Manage"
     " options</a></form>",
     "consent"),
    ("Moorblatt", "<h2>Willkommen beim Moorblatt</h2><p>Mit Werbung weiterlesen: Besuchen Sie das Moorblatt wie"
     " gewohnt mit"
     " Werbung und Tracking. Details zum Tracking finden Sie in der Datenschutzerklärung.</p><button>Akzeptieren"
     " und"
     " weiter</button><p>… oder Pur-Abo: ohne Werbetracking lesen.</p><a class=btn href=/pur>Jetzt abonnieren</a>",
     "consent"),
    ("Le Journal du Marais", "<button>Continuer sans accepter</button><h2>Le respect de votre vie privée est notre"
     " priorité</h2><p>Avec votre accord, nos partenaires et nous utilisons des cookies pour stocker et accéder à"
     " des"
     " informations personnelles comme votre visite sur ce site.</p><button>Accepter et fermer</button><button>En"
     " savoir"
     " plus</button>", "consent"),
    ("Antes de ir a Tubo", "<h1>Antes de ir a Tubo</h1><p>Usamos cookies y datos para proporcionar nuestros"
     " servicios y"
     " mostrar anuncios personalizados.</p><button>Rechazar todo</button><button>Aceptar todo</button>", "consent"),
    ("Il Corriere della Palude", "<p>Noi e i nostri partner archiviamo e/o accediamo alle informazioni su un"
     " dispositivo,"
     " come i cookie, e trattiamo dati personali.</p><button>Accetta e continua</button><button>Rifiuta e abbonati"
     "</button>", "consent"),
    ("De Veenkrant", "<h1>De Veenkrant maakt gebruik van cookies</h1><p>Voor het gebruik van cookies en de"
     " verwerking van"
     " persoonsgegevens hebben we je toestemming nodig. Wij en onze partners tonen gepersonaliseerde"
     " advertenties.</p>"
     "<button>Akkoord</button><a href=/i>Instellingen</a>", "consent"),
    ("Gazeta Bagienna", "<p>Szanujemy Twoją prywatność. My i nasi partnerzy przechowujemy informacje na"
     " urządzeniu, takie"
     " jak pliki cookie, i przetwarzamy dane osobowe.</p><button>AKCEPTUJĘ I PRZECHODZĘ DO SERWISU</button>"
     "<button>USTAWIENIA ZAAWANSOWANE</button>", "consent"),
    ("Antes de continuar", "<h1>Antes de continuar</h1><p>Utilizamos cookies e dados para apresentar anúncios"
     " personalizados.</p><button>Rejeitar tudo</button><button>Aceitar tudo</button>", "consent"),
    ("Innan du fortsätter", "<h1>Innan du fortsätter till Mossen</h1><p>Vi använder kakor och uppgifter för att"
     " visa"
     " anpassade annonser.</p><button>Avvisa alla</button><button>Godkänn alla</button>", "consent"),
    ("Ennen kuin jatkat", "<h1>Ennen kuin jatkat Suolle</h1><p>Käytämme evästeitä ja tietoja mainosten"
     " näyttämiseen.</p>"
     "<button>Hylkää kaikki</button><button>Hyväksy kaikki</button>", "consent"),
    ("Než budete pokračovat", "<h1>Než budete pokračovat</h1><p>Soubory cookie a údaje používáme k zobrazování"
     " reklam."
     "</p><button>Odmítnout vše</button><button>Přijmout vše</button>", "consent"),
    ("続行する前に", "<h1>続行する前に</h1><p>Cookieとデータを使用して、パーソナライズされた広告を表示します。</p>"
     "<button>すべて拒否</button><button>すべて受け入れる</button>", "consent"),
    ("Прежде чем продолжить", "<h1>Прежде чем продолжить</h1><p>Мы и наши партнеры используем файлы cookie и"
     " данные.</p>"
     "<button>Отклонить все</button><button>Принять все</button>", "consent"),
    ("Devam etmeden önce", "<h1>Devam etmeden önce</h1><p>Çerezleri ve verileri reklam göstermek için"
     " kullanırız.</p>"
     "<button>Tümünü reddet</button><button>Tümünü kabul et</button>", "consent"),
    ("Tarn Times", "<h1>Tarn Times is unavailable in most European countries</h1><p>Unfortunately, our website is"
     " currently"
     " unavailable in most European countries. We are engaged on the issue.</p>", "blocked"),
    ("Access denied", "<p>This content is not available in your region. Error 451: our site does not serve"
     " visitors from the"
     " European Union because of the GDPR.</p>", "blocked"),
    ("Indisponible", "<h1>Ce site est indisponible dans votre pays</h1><p>Pour des raisons"
     " légales.</p>", "blocked"),
    ("Moorblad", "<p>Deze website is niet beschikbaar in jouw land.</p>", "blocked"),
    ("Sitio", "<h1>Este contenido no está disponible en tu región</h1>", "blocked"),
    ("Pagina", "<p>Questa pagina non è disponibile nel tuo paese.</p>", "blocked"),
    ("Strona", "<p>Ta strona jest niedostępna w Twoim kraju z przyczyn prawnych.</p>", "blocked"),
    ("Moor", "<h1>This site is private</h1><p>Please sign in to view this page.</p>", "blocked"),
    ("Moor", "<p>Diese Seite ist passwortgeschützt.</p><form><input type=password></form>", "blocked"),
    ("Moor", "<p>Ce blog est privé. Vous devez être connecté pour le lire.</p>", "blocked"),
    ("Moor", "<h1>Your browser is not supported</h1><p>Please use Chrome, Firefox, Safari or"
     " Edge.</p>", "challenge"),
    ("Moor", "<h1>Veralteter Browser</h1><p>Ihr Browser wird nicht unterstützt. Bitte aktualisieren Sie ihn.</p>",
     "challenge"),
    ("Moor", "<p>Votre navigateur est obsolète. Téléchargez une version récente.</p>", "challenge"),
    ("Moor", "<p>Ваш браузер устарел. Обновите браузер, чтобы открыть сайт.</p>", "challenge"),
    ("Moor", "<h1>您的浏览器版本过低</h1><p>请使用新的浏览器。</p>", "challenge"),
]  # fmt: skip
BANNER = (
    "<div id=banner><h2>We value your privacy</h2><p>We and our partners store and/or access information on a"
    " device, such"
    " as cookies, and process personal data for personalised advertising and content, advertising and content"
    " measurement,"
    " audience research and services development.</p><button>Accept all cookies</button><button>Reject all</button>"
    "<button>Manage options</button></div>"
)
HONEST = [
    ("Cookies for the fête", "en", "<h1>Cookies for the fête</h1><p>Before you continue to the tombola, take a"
     " bag of oat"
     " cookies. Accept all offers of jam, reject all burnt ones. Our partners at the mill gave the flour. The"
     " tins are"
     " sold for the organ, and last year they paid for two of its pipes. Ring the verger for a table.</p>"),
    ("Einladung", "de", "<h1>Sommerfest am Moor</h1><p>Bevor Sie fortfahren, parken Sie bitte hinter der Scheune."
     " Wir"
     " akzeptieren nur Bargeld. Die Kapelle spielt ab vier Uhr, der Kuchen kommt von den Landfrauen, und für"
     " Kinder gibt"
     " es Ponyreiten. Partner und Hunde sind willkommen.</p>"),
    ("Cookies en 2019", "fr", "<h1>Faut-il accepter les cookies ?</h1><p>Notre atelier explique aux anciens"
     " comment un"
     " site garde leurs données. On y apprend à tout refuser, à tout accepter, et à vider son navigateur. Chaque"
     " jeudi à"
     " la bibliothèque, avec un café. Apportez votre ordinateur ou empruntez le nôtre. Douze places, inscription au"
     " guichet, gratuit pour tous les habitants du canton.</p>"),
    ("Klub Wioślarski Dolny Staw", "pl", BANNER + "<h1>Klub Wioślarski Dolny Staw</h1><p>Nasz klub spotyka się w"
     " każdą"
     " sobotę rano w hangarze nad stawem. Nowi członkowie mogą przyjść na próbny trening.</p>"),
    ("Čebelarsko društvo", "sl", BANNER + "<h1>Čebelarsko društvo Barje</h1><p>Naše društvo se sestaja vsak drugi"
     " torek v"
     " mesecu v čebelarskem domu. Novi člani so vedno dobrodošli, izposodimo jim tudi opremo.</p>"),
    ("Why some papers shut Europe out", "en", "<h1>Why some papers shut Europe out</h1><p>Since May the sites of"
     " many"
     " American papers say that they are unavailable in most European countries. We asked nine editors. Seven"
     " named the"
     " cost of lawyers, one the size of its readership abroad, and one did not know that its own pages were"
     " closed. None"
     " has a date for opening them again, though two are asking for a quote. The law itself asks for less than"
     " most of"
     " them thought, as a lecturer in Leeds explains below.</p>"),
    ("Old browsers", "en", "<h1>Museum of the web</h1><p>We keep forty computers of the nineties running, each"
     " with the"
     " browser of its day. Your browser is out of date? Bring it. Open on Sundays from two to five, entry is"
     " free, and"
     " the tea room has scones. Ring 01632 960188 for groups.</p>"),
]  # fmt: skip


def page(title: str, body: str) -> bytes:
    return f"<!doctype html><meta charset=utf-8><title>{title}</title><body>{body}".encode()


@pytest.mark.parametrize(("title", "body", "kind"), WALLS, ids=[wall[0] for wall in WALLS])
def test_walls(title: str, body: str, kind: str) -> None:
    found = read_page(page(title, body), url="")
    assert (found.verdict, found.error_kind) == ("error", kind)
    assert found.evidence[0].quote


@pytest.mark.parametrize(("title", "language", "body"), HONEST, ids=[one[0] for one in HONEST])
def test_honest_pages_in_their_words(title: str, language: str, body: str) -> None:
    found = read_page(page(title, body), url="")
    assert (found.verdict, found.language) == ("clean", language)
