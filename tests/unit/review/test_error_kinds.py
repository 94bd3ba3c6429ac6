"""Challenges, blocks, unpaid sites, faults and defaults in many languages, and honest pages in the same words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from afterdrop.review.page.notices import find_error
from afterdrop.review.page.reader import read_page
from tests.unit.review.viewed import viewed

NO_SITE = {"error", "parked"}


def page(title: str, body: str) -> bytes:
    return f"<!doctype html><meta charset=utf-8><title>{title}</title><body>{body}".encode()


# Title, body, what it is.
ERRORS = [
    ("Ich stelle sicher, dass du kein Bot bist!", "<h1>Ich stelle sicher, dass du kein Bot"
     " bist!</h1>", "challenge"),
    ("Vérification de votre navigateur", "<p>Merci de patienter pendant le contrôle.</p>", "challenge"),
    ("Jeszcze chwila...", "<p>Sprawdzanie przeglądarki. Zaczekaj.</p>", "challenge"),
    ("Hetkinen...", "<p>Vahvista, että olet ihminen.</p>", "challenge"),
    ("请稍候…", "<p>正在进行安全检测，请完成安全验证</p>", "challenge"),
    ("Еще немного", "<p>Подтвердите, что вы не робот, и страница откроется.</p>", "challenge"),
    ("잠시만 기다리십시오", "<p>사람인지 확인하는 중입니다. 브라우저를 확인합니다.</p>", "challenge"),
    ("Zu viele Anfragen", "<h1>429</h1><p>Versuchen Sie es später erneut.</p>", "blocked"),
    ("Troppe richieste", "<h1>Troppe richieste</h1>", "blocked"),
    ("Příliš mnoho požadavků", "<p>Zkuste to později.</p>", "blocked"),
    ("アクセス制限", "<p>アクセスが制限されています。</p>", "blocked"),
    ("This website has been seized", "<p>Seized under a warrant. The domain is held by the police.</p>", "blocked"),
    ("Доступ ограничен", "<p>Доступ к информационному ресурсу ограничен по решению суда.</p>", "blocked"),
    ("Bu siteye erişim engellenmiştir", "<p>Karar no 2014/17</p>", "blocked"),
    ("Blog has been removed", "<p>Sorry, the blog at moor.blogs.example has been removed.</p>", "suspended"),
    ("Site suspendu", "<p>Factures impayées. Veuillez contacter votre hébergeur.</p>", "suspended"),
    ("Strona wyłączona", "<p>Usługa nieopłacona. Prosimy o kontakt z administratorem serwera.</p>", "suspended"),
    ("A szolgáltatás felfüggesztve", "<p>Díjtartozás miatt a weboldal nem elérhető.</p>", "suspended"),
    ("Tili on suljettu", "<p>Sivusto on suljettu maksamattomien laskujen vuoksi.</p>", "suspended"),
    ("网站已停用", "<p>由于欠费，该网站已停用，请联系服务商。</p>", "suspended"),
    ("サービスは終了しました", "<p>ホームページサービスは終了しました。</p>", "suspended"),
    ("تم إيقاف الموقع", "<p>تم إيقاف الموقع بسبب عدم السداد.</p>", "suspended"),
    ("WordPress › Chyba", "<p>Na tomto webu došlo ke kritické chybě. Došlo ke kritické chybě.</p>", "server_error"),
    ("Databasefejl", "<h1>Fejl under oprettelse af databaseforbindelse</h1>", "server_error"),
    ("Σφάλμα βάσης δεδομένων", "<h1>Σφάλμα σύνδεσης με τη βάση δεδομένων</h1>", "server_error"),
    ("Huoltokatko", "<p>Sivusto on huollossa. Palaamme pian.</p>", "server_error"),
    ("Сайт на техническом обслуживании", "<p>Ведутся технические работы.</p>", "server_error"),
    ("Bakım çalışması", "<p>Site bakımda, birkaç dakika sonra tekrar deneyin.</p>", "server_error"),
    ("Servis bulunamadı", "<p>Aradığınız servis burada yok, lütfen dönün.</p>", "not_found"),
    ("moor.example - /", "<h1>moor.example - /</h1><pre><a href=/old/>old</a></pre>", "directory_index"),
    ("Moor", "<p>The kettle answered with HTTP error 503 and no tea for Sunday visitors,"
     " alas.</p>", "server_error"),
    ("Tarn Club", "<h1>Page not found</h1><p>Nothing grows here. Go back, have tea.</p>", "not_found"),
    ("Bevestig uw leeftijd", "<p>U moet 18 zijn.</p><p>Bevestig uw leeftijd</p>", "challenge"),
    ("Home", "<h3>Main Menu</h3>Home<h3>Login Form</h3>User Name Password Remember Me Log in Forgot your password?"
     " Forgot your username? Create an account", "empty"),
    ("Hello, world!", "<p>Hello, world!</p>", "empty"),
    ("Hacked", "<h1>Situs ini telah diretas oleh Tim Hantu Jawa</h1><p>Keamanan anda nol. Admin, perbaiki celah"
     " anda! Salam dari kami: Cakil, Petruk, Gareng.</p>", "defaced"),
    ("Touched by Mr.Gareng", "<h1>Touched by Mr.Gareng</h1><p>Maaf admin, websitemu aku sentuh. Kami tidak"
     " merusak, hanya mengingatkan. Indonesian Cyber Army.</p>", "defaced"),
    ("Kena hack bro", "<h1>Website anda kena hack</h1><p>Patch celah anda min! Greetz: AnonGhost ID, Jatim"
     " Team</p>", "defaced"),
    ("Index de /", "<h1>Index de /</h1><pre>Nom   Dernière modification  Taille  Description</pre><hr><a"
     " href=/a/>a/</a> <a href=/b/>b/</a>", "directory_index"),
    ("Répertoire de /", "<h1>Répertoire de /</h1><table><tr><th>Nom<th>Modifié le<th>Taille</tr><tr><td><a"
     " href=x/>x/</a><td>12-Jan-2009<td>-</tr></table>", "directory_index"),
    ("Contenu du répertoire /", "<h1>Contenu du répertoire /</h1><a href=..>Répertoire parent</a><br><a"
     " href=img/>img</a>", "directory_index"),
    ("Índice de /", "<h1>Índice de /</h1><a href=..>Directorio padre</a> <a href=img/>img/</a>", "directory_index"),
    ("Verzeichnis von /", "<h1>Verzeichnis von /</h1><a href=..>Übergeordnetes Verzeichnis</a> <a"
     " href=img/>img/</a>", "directory_index"),
]  # fmt: skip
DEFAULTS = [
    ("[Local Web] EasyPHP", "<h1>EasyPHP 5.3.1</h1><p>Local Web : votre dossier www est vide. Bienvenue dans"
     " EasyPHP. Administration - Fichiers - Alias.</p><p>Aucun fichier ou dossier.</p>"),
    ("Home", "<h1>Joomla!</h1><h2>Upgraders</h2><p>If you are an experienced Joomla! 1.5 user, this Joomla site"
     " will seem very familiar. There are new templates and improved user interfaces, but most functionality is"
     " the same.</p><h2>Beginners</h2><p>If this is your first Joomla! site or your first web site, you have come"
     " to the right place. Joomla will help you get your website up and running quickly and easily. Start off"
     " using your site by logging in using the administrator account you created when you installed"
     " Joomla.</p><h2>Professionals</h2><p>Joomla! 2.5 continues development of the Joomla Platform and CMS as a"
     " powerful and flexible way to bring your vision of the web to reality.</p>"),
    ("Home", "<h2>Getting Started</h2><p>It's easy to get started creating your website. Knowing some of the"
     " basics will help.</p><h3>What is a Content Management System?</h3><p>A content management system is"
     " software that allows you to create and manage webpages easily by separating the creation of your content"
     " from the mechanics required to present it on the web. In this site, the content is stored in a database."
     " The look and feel are created by a template. Joomla! brings together the template and your content to"
     " create web pages.</p><h3>Logging in</h3><p>To login to your site use the user name and password that were"
     " created as part of the installation process. Once logged-in you will be able to create and edit articles"
     " and modify some settings.</p>"),
    ("Mon blog", "<h2>Bonjour tout le monde !</h2><p>Bienvenue sur WordPress. Ceci est votre premier article.</p>"),
    ("Mi blog", "<h2>¡Hola, mundo!</h2><p>Te damos la bienvenida a WordPress. Esta es tu primera entrada.</p>"),
    ("Mój blog", "<h2>Witaj, świecie!</h2><p>Witamy w WordPressie. To jest twój pierwszy wpis.</p>"),
    ("Мой блог", "<h2>Привет, мир!</h2><p>Добро пожаловать в WordPress. Это ваша первая запись.</p>"),
    ("Blogum", "<h2>Merhaba dünya!</h2><p>WordPress'e hoş geldiniz. Bu sizin ilk yazınız.</p>"),
    ("我的博客", "<h2>世界，您好！</h2><p>欢迎使用WordPress。这是您的第一篇文章。</p>"),
    ("Moor Wiki", "<h1>Hauptseite</h1><p>MediaWiki wurde installiert. Hilfe steht im Handbuch.</p>"),
    ("Welcome | moor", "<p>Aún no se ha creado contenido en esta portada.</p>"),
    ("Laravel", "<p>Documentation Laracasts News Forge GitHub</p>"),
]  # fmt: skip
HONEST = [
    ("Tarn Tennis: results", "<h1>Internal server error: club final decided by double faults</h1><p>Twelve double"
     " faults, a server's error in every game: Mark Hill lost the club final on his own serve. His opponent, Tom"
     " Ward, hit 500 balls against the wall every day of the winter.</p><p>The final was seen by ninety members;"
     " tea was served after.</p>"),
    ("500 aces and a server error", "<h1>500 aces and a server error</h1><p>The season of our first team in"
     " numbers: 500 aces, 61 double faults, one broken net. The server of the year is Ann Bell. Bad gateway to"
     " the courts: the gate jams, mind your fingers.</p>"),
    ("Just a moment | Anna Berg", "<h1>Just a moment</h1><p>Portraits and weddings, taken without a flash. Prints"
     " from"
     " forty pounds, albums on request.</p>"),
    ("Robot club of Tarn School", "<h1>Are you a robot?</h1><p>Then join us on Monday at four in the workshop. We"
     " solder, build and race. Bring a screwdriver and a friend.</p>"),
    ("Schlüsseldienst Kern", "<h1>Zugriff verweigert?</h1><p>Wir öffnen Türen in der Altstadt, auch nachts und"
     " sonntags, ab 60 Euro. Telefon 0301 555 44</p>"),
    ("Museo del Molino", "<h1>Cerrado por obras</h1><p>El molino está en mantenimiento hasta abril. La sala de la"
     " harina abre de martes a viernes, de diez a dos. Entrada libre.</p>"),
    ("Marta's bees", "<h1>Marta's bees</h1><h2>Hello world!</h2><p>Three hives came in April, and two of them"
     " stayed."
     " This is how I began.</p><h2>First honey</h2><p>Eleven jars in July, dark from the lime trees.</p><h2>Winter"
     "</h2><p>I fed them twice and wrapped the hives in straw. All of them lived until March.</p>"),
    ("What Anubis does to a small forum", "<h1>What Anubis does to a small forum</h1><p>Crawlers took our forum"
     " down"
     " twice in May. A proof of work before each visit was the answer: visitors read \"Making sure you're not a"
     " bot!\""
     " for a second, and crawlers give up. In the source of the notice stands &lt;script"
     " id=\"anubis_challenge\"&gt;,"
     " and its pictures come from /.within.website/x/cmd/anubis/static/img. Since June the load is down to a tenth."
     " Two members with old telephones wrote to me, and one of them now uses another one. I would do it again, but"
     " only with a list of good crawlers that may pass, since the archive could not read us for a month.</p>"),
    ("Vent på bussen", "<h1>Vent litt</h1><p>En utstilling om busskur i nord, med bilder av ni fotografer. Åpent"
     " lørdag og søndag, kaffe i kjelleren.</p>"),
    ("Un instant - salon de thé", "<h1>Un instant</h1><p>Thés de Chine, gâteaux du jour et livres à emporter, rue"
     " du"
     " Moulin 3. Ouvert du mardi au samedi.</p>"),
    ("Forbidden fruit cider", "<h1>Forbidden</h1><p>Cider of eleven old apples, pressed in October and sold from"
     " the"
     " barn until it is gone.</p>"),
    ("Карантин", "<h1>Доступ закрыт</h1><p>Спектакль молодёжного театра о зиме, в пятницу в семь вечера, вход"
     " свободный.</p>"),
    ("Karbantartás és javítás", "<h1>Karbantartás</h1><p>Kazánok és kémények javítása Egerben, hétvégén is. Kovács"
     " Péter, 06 36 555 444</p>"),
    ("Site offline? No: a festival", "<h1>Too many requests</h1><p>A concert where the crowd picks each song. Bring"
     " earplugs. Tickets at the door, eight pounds.</p>"),
]  # fmt: skip
# Titles, headings and texts that were honest all along, said beside a word of sites or with a number to ring.
HONEST += [
    ("Tarn Locks", "<h1>Access denied?</h1><p>Locked out of house or car? Our locksmith comes within the hour. Tel"
     " 01632 960177. Visit our website for prices.</p>"),
    ("少々お待ちください 珈琲店", "<h1>少々お待ちください</h1><p>手挽きの珈琲と自家製の菓子。"
     "水曜定休。駅から徒歩三分。</p>"),
    ("Hello World Nursery", "<h1>Hello World!</h1><p>A nursery for small children in Tarn, open from seven"
     " to six.</p>"),
    ("Drone repair", "<h1>Critical error</h1><p>Drone fell from the sky? We mend motors within two"
     " days. Quay 4.</p>"),
    ("Bitte warten: ein Stück", "<h1>Bitte warten: ein Stück</h1><p>Theater in zwei Akten, am"
     " Samstag im Gemeindehaus.</p>"),
    ("Tarn Robotics", "<h1>You are not a robot</h1><p>But you can build one with us, Saturdays at ten.</p>"),
    ("Musée du moulin", "<h1>Musée du moulin</h1><p>Le moulin est en maintenance jusqu'en avril. Ouvert ensuite du"
     " mardi au dimanche, de 10 à 18 heures.</p>"),
    ("WordPress Meetup Tarn", "<h1>Welcome to WordPress Meetup Tarn</h1><p>We meet on Mondays in the library.</p>"),
]  # fmt: skip
# Markup of a page that shows nothing, and the kind.
MARKUP = [
    ('<script src="/aes.js"></script><script>var c=slowAES.decrypt(c,2,a,b);document.cookie="__test="+c</script>',
     "challenge"),
    ('<script src="https://1a2b.edge.sdk.awswaf.com/challenge.js"></script>', "challenge"),
    ('<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&edet=12"></iframe>', "challenge"),
    ('<script src="/_Incapsula_Resource?SWJIYLWA=71"></script>', "challenge"),
    ('<script>location="/.well-known/sgcaptcha/?r=%2F"</script>', "challenge"),
    ('<script src="/.well-known/vercel/security/static/challenge.v2.min.js"></script>', "challenge"),
    ('<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>', "challenge"),
    ("<script>window._cf_chl_opt={cvId:'3'}</script>", "challenge"),
    ('<script src="https://geo.captcha-delivery.com/c.js"></script>', "challenge"),
    ('<div id="px-captcha"></div>', "challenge"),
    ('<script>window["bobcmn"]="1"</script>', "challenge"),
    ('<script src="https://404.safedog.cn/sitedog_stat.js"></script>', "blocked"),
]  # fmt: skip


HOLDING = [
    (
        "Registrant WHOIS contact information verification",
        "<p>You have reached a domain that is pending ICANN verification.</p>",
    ),
    ("club.example", "<p>The registrant of this domain has not verified the contact address.</p>"),
    ("Domain deaktiviert", "<h1>Diese Domain ist vorübergehend deaktiviert</h1>"),
    ("Domaine suspendu", "<p>Ce nom de domaine est en attente de vérification par son titulaire.</p>"),
    ("Dominio", "<p>Este dominio está pendiente de verificación según las normas de ICANN.</p>"),
    ("Dominio", "<p>Questo dominio è in attesa di verifica dei dati del titolare.</p>"),
    ("Domínio", "<p>Este domínio aguarda verificação do titular.</p>"),
    ("Domein", "<p>Deze domeinnaam wacht op verificatie van de houder.</p>"),
    ("Domena", "<p>Ta domena oczekuje na weryfikację danych abonenta.</p>"),
    ("Домен", "<p>Домен ожидает подтверждения данных администратора.</p>"),
    ("Alan adı", "<p>Bu alan adı doğrulama bekliyor.</p>"),
    ("ドメイン", "<p>このドメインは情報認証が完了していません。</p>"),
    ("域名", "<p>该域名未通过实名认证，暂时无法访问。</p>"),
]
EXPLAINED = [
    (
        "How verification works - Heather Lane Hosting help",
        "<h1>Why do we ask you to verify your address?</h1><p>Since 2014 every registrar has to check the address"
        " of a"
        " registrant. We must suspend the name otherwise. See also transfers.</p>",
    ),
    (
        "Domain verifizieren: so geht es",
        "<h1>Domain verifizieren</h1><p>Die ICANN verlangt, dass Inhaber ihre Adresse bestätigen. Wer das nicht"
        " tut,"
        " dessen Domain wird deaktiviert. Fragen? Telefon 030 1234567</p>",
    ),
    (
        "Vérifier son adresse",
        "<h1>Pourquoi vérifier son adresse ?</h1><p>Depuis 2014, le bureau d'enregistrement doit vérifier"
        " l'adresse du"
        " titulaire. Sinon, le nom de domaine peut être suspendu.</p>",
    ),
]


@pytest.mark.parametrize(("title", "body"), HOLDING)
def test_a_registrars_holding_page_is_no_site(title: str, body: str) -> None:
    assert read_page(page(title, body), url="").verdict in NO_SITE


@pytest.mark.parametrize(("title", "body"), EXPLAINED)
def test_a_page_about_that_rule_is_one(title: str, body: str) -> None:
    assert read_page(page(title, body), url="").verdict == "clean"


DEFACED = [
    ("Hacked by X0r", "<h1>HaCkeD By X0r</h1>"),
    ("..:: H4ck3d by DarkTeam ::..", "<h1>Sorry admin</h1><p>greetz to all</p>"),
    ("Lower Tarn", "<h1>Gehackt von der Crew 31337</h1><p>Eure Sicherheit ist schlecht.</p>"),
    ("Piraté par L0rd", "<h1>Piraté par L0rd</h1>"),
    ("Hackeado por AnonX", "<p>Contacto: anonx@hotmail.com, arreglen su servidor, admin</p>"),
    ("Siteniz hacklendi", "<p>Bu site hackerlar tarafından hacklendi</p>"),
    ("Diretas oleh Garuda", "<p>Diretas oleh Garuda Team</p>"),
    ("تم اختراق الموقع", "<p>تم اختراق الموقع من قبل فريق</p>"),
    ("网站已被黑", "<p>本站已被黑客入侵</p>"),
    ("", "<h1>Hacked by Mr.Z</h1>"),
    ("Hacked By Team", "<p>" + "we were here " * 60),
    ("Your site has been locked", "<p>All your files have been encrypted. Send 0.1 BTC.</p>"),
]
NOT_DEFACED = [
    (
        "Hacked by spammers? We clean your site",
        "<p>We clean WordPress sites and servers. Call 01632 960555.</p>",
    ),
    ("How we were hacked", "<p>In March our club site was hacked by spammers. The committee thanks Tom.</p>"),
    (
        "Hacked by Love",
        "<p>A short film by Anna Miller, 2019. Write to info@hackedbylove.com for a screening.</p>",
    ),
    ("Gehackt von wem? Kurs", "<p>Der Kurs am 3. Mai zeigt, wie Server angegriffen werden.</p>"),
    (
        "Castelo de Silves",
        "<h1>Invadido por piratas em 1596</h1><p>O castelo abre às dez. Telefone 282 123 456</p>",
    ),
    ("Hacked by hand", "<p>" + "The joiner hews each beam with an axe. " * 40),
]


@pytest.mark.parametrize(("title", "body"), DEFACED)
def test_who_breaks_in_says_so_first(title: str, body: str) -> None:
    found = read_page(page(title, body), url="")
    assert (found.verdict, found.error_kind) == ("error", "defaced"), found.evidence


@pytest.mark.parametrize(("title", "body"), NOT_DEFACED)
def test_who_speaks_of_break_ins_stays(title: str, body: str) -> None:
    assert read_page(page(title, body), url="").verdict == "clean"


@pytest.mark.parametrize(("title", "body", "kind"), ERRORS)
def test_errors_in_many_languages(title: str, body: str, kind: str) -> None:
    found = read_page(page(title, body), url="")
    assert (found.verdict, found.error_kind) == ("error", kind), found.evidence


@pytest.mark.parametrize(("title", "body"), DEFAULTS)
def test_what_was_just_installed_is_no_site(title: str, body: str) -> None:
    assert read_page(page(title, body), url="").verdict in NO_SITE


@pytest.mark.parametrize(("title", "body"), HONEST)
def test_honest_pages_in_the_words_of_errors_stay(title: str, body: str) -> None:
    found = read_page(page(title, body), url="")
    assert found.verdict == "clean", found.evidence


@pytest.mark.parametrize(("markup", "kind"), MARKUP)
def test_products_before_a_site_are_known_by_their_markup(markup: str, kind: str) -> None:
    found = read_page(page("", markup), url="")
    assert (found.verdict, found.error_kind) == ("error", kind)
    assert [(one.zone, one.rule.split(":")[0]) for one in found.evidence] == [("markup", "error.markup")]


SCRIPT = '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'


@pytest.mark.parametrize(
    ("title", "body", "kind"),
    [
        ("", SCRIPT, "challenge"),
        ("club.example.org", SCRIPT, "challenge"),
        ("Tarn Rowing Club", SCRIPT, None),
        ("", f'{SCRIPT}<meta name=description content="Rowing since 1951">', None),
        ("", f"{SCRIPT}<p>Write to row@club-example.org</p>", None),
        ("", f"{SCRIPT}{'<a href=/boats>boats</a>' * 3}", None),
        ("", SCRIPT + "boat " * 41, None),
        ("", '<div id="px-captcha"></div>' + "boat " * 201, None),
    ],
)
def test_a_script_beside_an_honest_page_says_nothing(title: str, body: str, kind: str | None) -> None:
    found = read_page(page(title, body), url="")
    assert found.error_kind == kind
    assert (found.verdict == "error") == (kind is not None)


def test_lists_of_files_have_files() -> None:
    listed = "<title>moor.example:8080 - /old/</title><h1>moor.example</h1>"
    row = "<a href=/old/a.txt>a.txt</a>"
    assert find_error(viewed(listed, words=5)) is None
    assert find_error(viewed(listed + row, words=600)) is None
    found = find_error(viewed(listed + row, words=300))
    assert found is not None
    assert found.kind == "directory_index"


def test_pages_that_people_of_the_trade_collected(real: Path) -> None:
    field = real / "field3"
    expected = json.loads((field / "expected.json").read_text("utf-8"))
    for name, right in expected.items():
        if not (file := field / f"{name}.html").exists():
            continue
        found = read_page(file.read_bytes(), url="http://harbour-lights-fld3.com/")
        verdicts = {*right["verdict"], *(["error"] if "redirect" in right["verdict"] else [])}
        assert found.verdict in verdicts, (name, found.evidence)
        assert found.title == right.get("title", found.title), name
        if languages := right.get("language"):
            assert found.language in languages, name
