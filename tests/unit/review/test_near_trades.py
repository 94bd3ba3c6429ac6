"""Clinics, lenders and those who warn of guest posts are no spam; sellers are; names without a site are parked"
" or errors."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page

HONEST = [
    ("School Bus Escorts | County Council", "<h1>Passenger escorts on school buses</h1><p>An escort travels with"
     " children on school buses. Female escort and male escort posts are open. Escorts help at the kerb. Escort"
     " service for airport buses is run by Tarn Coaches.</p><p>Apply to the county council's transport office,"
     " 01632 960100.</p>"),
    ("Airport escort service for elderly travellers", "<h1>Airport escort service</h1><p>Our escorts meet elderly"
     " and disabled travellers at the gate and take them to the coach. Escort girls and boys of the youth red"
     " cross help in summer. VIP escort through customs on request.</p><p>Book two days ahead at the airport's"
     " desk, 01632 960140. Wheelchairs are free.</p>"),
    ("Begleitservice im Schulbus", "<h1>Escort-Service für Schulbusse</h1><p>Begleitpersonen fahren im Schulbus"
     " mit. Der Begleitservice am Flughafen hilft älteren Reisenden beim Umsteigen in den Bus. Träger ist der"
     " Landkreis.</p><p>Telefon 04921 555 01.</p>"),
    ("My site was hacked, what is this text? - Help forum", "<h1>My site was hacked, what is this"
     " text?</h1><p>anna: Hi all, since Monday Google shows this under my bakery's name:</p><blockquote>Slot"
     " gacor hari ini, situs slot online terpercaya, daftar judi bola, bonus new member 100%, togel, RTP live"
     " tertinggi</blockquote><p>I never wrote that. How do I get rid of it? WordPress 6.4, no plugins but a"
     " gallery.</p><p>ben: Somebody got in. Change all passwords, look for new admins, and reinstall the core."
     " Search the database for “slot gacor” and delete those rows.</p><p>anna: Found it in wp_posts, 400 pages."
     " Thank you!</p>"),
    ("Viagra spam in search results? : webmaster help", "<h1>Viagra spam in search results?</h1><p>When I search"
     " for my choir, the result reads “Buy viagra online, cheap cialis no prescription, best online pharmacy”."
     " The page itself looks normal. View source shows nothing. What should I do?</p><p>Reply: That is cloaking."
     " Fetch it as Googlebot and look at the footer.php of your theme.</p><p>Reply: Same here: “cheap levitra,"
     " kamagra, tramadol overnight” in the title. Cleaned it, then asked for a review in Search Console.</p>"),
    ("Forum: Was ist das für ein Spam auf meiner Seite?", "<h1>Was ist das für ein Spam auf meiner"
     " Seite?</h1><p>Im Quelltext steht plötzlich: „Online Casino ohne Einzahlung, Freispiele, beste Casino"
     " Bonus, Sportwetten ohne OASIS“. Ich habe das nicht geschrieben. Wie werde ich das los?</p><p>Antwort:"
     " Deine Seite wurde gehackt. Passwörter ändern, Backup einspielen, Plugins aktualisieren.</p>"),
    ("Riverside Men's Clinic | Services", "<h1>Our services</h1><ul><li>Erectile dysfunction"
     " treatment<li>Testosterone replacement therapy<li>Premature ejaculation<li>Low libido<li>Hair loss"
     " treatment<li>Weight loss injections<li>STD testing<li>Vasectomy<li>Viagra and Cialis prescriptions after a"
     " consultation</ul><p>Dr. Amir Shah, MD, and his team see patients Monday to Friday. Book an appointment at"
     " 12 Mill Lane, Leeds, 0113 496 0123. All prescriptions are issued by our registered doctors after an"
     " examination.</p>"),
    ("Clínica Urológica del Sur - Servicios", "<h1>Nuestros servicios</h1><ul><li>Disfunción"
     " eréctil<li>Eyaculación precoz<li>Alargamiento de pene<li>Pérdida de peso<li>Terapia de"
     " testosterona<li>Viagra y Cialis con receta<li>Vasectomía</ul><p>Pida cita en el 954 555 019. Dr. Ramírez,"
     " colegiado 4120. Avenida de la Paz 12, Sevilla.</p>"),
    ("Klinik Pria Sehat Bandung", "<h1>Layanan kami</h1><ul><li>Disfungsi ereksi<li>Ejakulasi dini<li>Obat kuat"
     " dengan resep dokter<li>Sunat<li>Penyakit kelamin</ul><p>Dokter kami praktik Senin sampai Sabtu. Telepon"
     " (022) 555-0199, Jalan Merdeka 12.</p>"),
    ("Sparkasse Moor – Privatkredit", "<h1>Kredit, wenn es schnell gehen muss</h1><p>Sofortkredit online"
     " abschließen, Auszahlung in 24 Stunden. Kredit ohne Schufa bieten wir nicht an: wir prüfen Ihre"
     " Bonität.</p><p>Effektiver Jahreszins ab 4,99 %, Nettodarlehensbetrag 1.000 bis 50.000 Euro,"
     " repräsentatives Beispiel nach § 6a PAngV. Filialen in Moorstadt und Wiesen. Telefon 04921 555 0.</p>"),
    ("Kasa Stefczyka – pożyczki i chwilówki", "<h1>Pożyczki</h1><p>Chwilówka online do 3000 zł, pożyczka"
     " gotówkowa, kredyt konsolidacyjny. Pożyczka bez BIK nie jest u nas możliwa. RRSO 12,9 %. Reprezentatywny"
     " przykład: całkowita kwota kredytu 5000 zł.</p><p>Oddziały: Lublin, Radom. Infolinia 801 555 019. Nadzór:"
     " Komisja Nadzoru Finansowego, KRS 0000123456.</p>"),
    ("МФК «Честное слово» — займы онлайн", "<h1>Займы до зарплаты</h1><p>Займ онлайн на карту за 15 минут,"
     " микрозаймы до 30 000 рублей. Полная стоимость займа 292 % годовых. ООО МФК «Честное слово»,"
     " регистрационный номер в реестре МФО Банка России 00-12345. Пропуск платежа ведёт к пене.</p><p>Офис:"
     " Новосибирск, Красный проспект, 1. Телефон 8 800 555-01-99.</p>"),
    ("Why we no longer accept guest posts", "<h1>Why we no longer accept guest posts</h1><p>Every week our garden"
     " blog gets thirty mails that offer guest posts. They promise quality articles, do-follow backlinks, high DA"
     " and a paid link insertion for $50. We said yes once, in 2016, and Google punished us for it.</p><p>Buying"
     " guest posts and selling links breaks the guidelines. If you run a small site, say no. Delete the mail,"
     " mark it as spam, and write about what you know. Our readers come for roses, not for sponsored posts on"
     " casino sites.</p>"),
    ("How to write a guest post that editors like", "<h1>Guest posting: a guide for beginners</h1><p>Guest"
     " blogging means writing an article for another site. In this lesson our students learn how to find blogs"
     " that accept guest posts (search for “write for us”), how to pitch an editor, and how to write an author"
     " bio with one link.</p><h2>Find blogs</h2><p>Search for your topic plus “write for us”, “submit a guest"
     " post” or “guest post guidelines”. Read three posts before you write.</p><h2>Pitch</h2><p>Say who you are"
     " in two lines, offer three titles, and never pay for a guest post: paid links need"
     " rel=sponsored.</p><p>Course 4 of the digital journalism school, University of Moor.</p>"),
    ("Cómo escribir un guest post", "<h1>Cómo escribir un guest post (y cómo no)</h1><p>El guest posting consiste"
     " en escribir un artículo en el blog de otra persona. No compres backlinks ni enlaces dofollow: Google"
     " penaliza los enlaces de pago. Busca blogs de tu tema y propone una idea.</p><p>En este curso gratuito"
     " aprendes a presentarte al editor, a citar las fuentes y a firmar con un solo enlace.</p>"),
    ("Domain not connected: what to do", "<h1>Domain not connected: what to do</h1><p>You bought a domain and"
     " your site builder says that it is not connected. Here is what to check. First the name servers: they must"
     " be those of your builder. Then the A record. Then wait: it can take two days until every resolver knows."
     " If verification is pending, look for the mail of your registrar, click the link in it, and do not panic"
     " when the parked page stays for an hour.</p><p>I have done this for forty clubs in the valley, and the"
     " mistake is nearly always a dot too many.</p>"),
    ("Railway club: the train has not arrived", "<h1>The train has not arrived</h1><p>Our heritage train from"
     " Tarn to Moor is late by a week: its new boiler waits for its certificate. We hope to run at Easter."
     " Tickets stay valid. Ring 01632 960177.</p>"),
    ("Klinika Męskiego Zdrowia – oferta", "<h1>Oferta</h1><ul><li>Zaburzenia erekcji<li>Przedwczesny"
     " wytrysk<li>Leki na potencję po konsultacji<li>Odchudzanie<li>Powiększanie penisa</ul><p>Rejestracja: 22"
     " 555 01 99. Warszawa, ul. Prosta 5. Lek. Jan Nowak, specjalista urolog.</p>"),
    ("Banca di Credito Cooperativo – Prestiti", "<h1>Prestiti veloci</h1><p>Prestito personale, cessione del"
     " quinto, prestiti a protestati non previsti. TAEG 8,9 %. Messaggio pubblicitario con finalità promozionale;"
     " fogli informativi in filiale.</p><p>Filiali a Trento e Rovereto. Numero verde 800 555 019.</p>"),
    ("Spořitelna Tarn – půjčky", "<h1>Rychlá půjčka</h1><p>Půjčka online do 24 hodin, nebankovní půjčky"
     " nenabízíme. RPSN 9,9 %. Reprezentativní příklad: 50 000 Kč. Dohled: Česká národní banka. Pobočka Brno,"
     " telefon 555 019 900.</p>"),
    ("QuickQuid-like: Sunny Loans", "<h1>Payday loans from £100</h1><p>Apply online for a short-term loan. Bad"
     " credit considered. Instant decision. Representative 1,266% APR. Warning: Late repayment can cause you"
     " serious money problems. For help, go to moneyhelper.org.uk.</p><p>Sunny Loans is a trading name of Elevate"
     " Credit Ltd, registered in England 5041905, authorised and regulated by the Financial Conduct"
     " Authority.</p>"),
]  # fmt: skip
SELLERS = [
    ("Guest Post Service | Buy High DA Backlinks", "<h1>Buy guest posts on high DA sites</h1><p>We sell guest"
     " posts with permanent do-follow backlinks on DA 50+ sites. Casino, CBD, crypto and adult accepted. Prices"
     " from $30. Link insertion $25. Write for us, order now, pay by PayPal.</p><p>Guest post packages: 10 posts"
     " $250, 50 posts $999. Turnaround 3 days. Bulk discount.</p>"),
    ("Buy Viagra online without prescription", "<h1>Cheap Viagra, Cialis, Levitra</h1><p>Buy generic Viagra"
     " online no prescription, overnight shipping, best price. Order cialis 20mg, kamagra, tramadol. Free pills"
     " with every order. Our doctors approve every order.</p>"),
    ("Payday loans online same day no credit check", "<h1>Payday loans no credit check</h1><p>Get cash now! Fast"
     " payday loans online, bad credit ok, guaranteed approval, no faxing. Apply for a cash advance in minutes."
     " Same day payday loans direct lenders only. Representative example of a loan.</p><p>No credit check loans,"
     " payday advance, installment loans for bad credit.</p>"),
]  # fmt: skip
NO_SITE = [
    ("404: This page could not be found", "<h1>404: NOT_FOUND</h1><p>Code: DEPLOYMENT_NOT_FOUND ID:"
     " fra1::abcd-1234</p><p>The deployment could not be found on Vercel.</p>"),
    ("No Production Deployment", "<h1>No Production Deployment</h1><p>Your domain is properly configured, but it"
     " is not currently linked to a Production Deployment.</p>"),
    ("Nothing is here yet", "<h1>Nothing is here yet</h1><p>If you expect something to be here, it may take a"
     " little time. Please check back again later.</p>"),
    ("Domain noch nicht verifiziert", "<h1>Die Inhaberdaten dieser Domain sind noch nicht bestätigt</h1><p>Bitte"
     " folgen Sie dem Link in der E-Mail Ihres Registrars.</p>"),
    ("Domaine non connecté", "<h1>Ce domaine n'est pas encore connecté à un site</h1><p>Connectez-vous à votre"
     " compte pour le relier.</p>"),
    ("ドメインが接続されていません", "<h1>このドメインはまだサイトに接続されていません</h1>"),
    ("404", "<h1>404</h1><p>The page you're looking for could not be found. The GitLab Pages site is not"
     " deployed.</p>"),
    ("Заглушка", "<p>Сайт не размещён на сервере. Если вы владелец, добавьте домен в панели управления.</p>"),
    ("Verification needed", "<p>This domain has not been verified yet. The registrant must confirm the email"
     " address within 15 days.</p>"),
    ("Verifica richiesta", "<p>L'indirizzo e-mail del titolare di questo dominio non è ancora stato"
     " verificato.</p>"),
    ("Not found", "<p>404 - Deployment not found. The requested deployment does not exist.</p>"),
    ("Error 1014", "<h1>Error 1014</h1><p>CNAME Cross-User Banned</p>"),
]  # fmt: skip


def verdict(title: str, body: str) -> str:
    page = f"<!doctype html><meta charset=utf-8><title>{title}</title><body>{body}".encode()
    return read_page(page, url="http://tarnclub.example/", site="tarnclub.example").verdict


@pytest.mark.parametrize(("title", "body"), HONEST, ids=[one[0] for one in HONEST])
def test_honest_pages_near_a_trade(title: str, body: str) -> None:
    assert verdict(title, body) == "clean"


@pytest.mark.parametrize(("title", "body"), SELLERS, ids=[one[0] for one in SELLERS])
def test_sellers(title: str, body: str) -> None:
    assert verdict(title, body) == "spam"


@pytest.mark.parametrize(("title", "body"), NO_SITE, ids=[one[0] for one in NO_SITE])
def test_names_without_a_site(title: str, body: str) -> None:
    assert verdict(title, body) in ("parked", "error")
