"""Trades that few lists know, as acts; and the honest pages beside each: those who warn, breed, lend books,"
" watch birds."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page

SPAM = [
    ("Hacker mieten – WhatsApp, Instagram, Noten ändern", "<h1>Hacker mieten</h1><p>Professionelle Hacker mieten:"
     " WhatsApp und Instagram Konto hacken, untreuen Partner überwachen, Noten ändern, SCHUFA löschen. Anonym und"
     " ohne Spuren, Zahlung per Bitcoin.</p>"),
    ("Contratar un hacker en México", "<h1>Contratar un hacker</h1><p>Servicios de hacker: hackear WhatsApp,"
     " Facebook, Instagram, cambiar notas, borrar antecedentes penales, espiar a tu pareja. Sin dejar rastro.</p>"),
    ("Kiralık Hacker – WhatsApp, Instagram", "<h1>Kiralık hacker</h1><p>Hacker kirala: Instagram, WhatsApp, not"
     " değiştirme, sicil temizleme. İz bırakmadan, bitcoin ile ödeme, Telegram.</p>"),
    ("黑客接单_黑客服务_改成绩", "<h1>黑客接单</h1><p>专业黑客服务：微信聊天记录查询、QQ密码破解、"
     "修改成绩、开房记录查询、监控手机。"
     "不留痕迹，先办事后付款。</p>"),
    ("How to join occult for money ritual in Nigeria", "<h1>I want to join occult for money</h1><p>Join the"
     " secret brotherhood of wealth and power today. No human sacrifice. Become rich. Call the grand master on"
     " WhatsApp for initiation.</p>"),
    ("Loros en venta y huevos de loro fértiles", "<h1>Loros en venta</h1><p>Huevos fértiles de loro, guacamayos y"
     " monos capuchinos en venta. Envío a todo el mundo en 24 horas. Pago por Western Union o MoneyGram,"
     " WhatsApp.</p>"),
    ("Capuchin monkeys for sale – teacup puppies", "<h1>Capuchin monkeys for sale</h1><p>Baby capuchin and"
     " marmoset monkeys for adoption, hand raised babies, home delivery within 24 hours. Text us on WhatsApp, pay"
     " by MoneyGram.</p>"),
    ("Undress AI – remove clothes from any photo free", "<h1>Undress any photo with AI</h1><p>Upload a photo and"
     " our deepnude AI shows any girl nude in seconds. Free trial, no sign up. Porn quality results.</p>"),
    ("KI Kleidung entfernen: Fotos ausziehen", "<h1>Kleidung entfernen mit KI</h1><p>Foto hochladen, KI zeigt"
     " jede Frau nackt, in Sekunden, kostenlos und ohne Anmeldung.</p>"),
    ("Раздеть девушку по фото нейросетью бесплатно", "<h1>Нейросеть раздевает</h1><p>Загрузите фото, нейросеть"
     " покажет любую девушку голой за секунды. Без регистрации, бесплатно, порно 18+.</p>"),
    ("Buy guns online without license – Glock for sale", "<h1>Buy guns online</h1><p>Glock 19, AK 47 and"
     " silencers for sale, no background check, no license, untraceable. Stealth shipping worldwide, pay in"
     " bitcoin, WhatsApp.</p>"),
    ("Waffen kaufen ohne Waffenschein", "<h1>Scharfe Waffen kaufen</h1><p>Pistolen und Gewehre ohne Papiere, ohne"
     " Registrierung. Versand weltweit, neutral verpackt, Bitcoin, Telegram.</p>"),
    ("Sell your kidney for $500,000 – urgent donors needed", "<h1>Kidney buyers</h1><p>Do you want to sell your"
     " kidney? Our hospital urgently needs kidney donors. $500,000, half advance payment before surgery. WhatsApp"
     " Dr. Kumar.</p>"),
    ("किडनी बेचना चाहते हैं? तत्काल डोनर", "<h1>किडनी बेचें</h1><p>किडनी बेचना चाहते हैं तो संपर्क करें। एक करोड़"
     " रुपये, एडवांस भुगतान, तत्काल डोनर चाहिए, व्हाट्सएप करें।</p>"),
    ("तुरंत लोन ऐप – आधार कार्ड से लोन", "<h1>आधार कार्ड पर लोन</h1><p>केवल आधार और पैन से 5 मिनट में लोन पाएं।"
     " बिना गारंटी, बिना इनकम प्रूफ, खराब सिबिल पर भी। ऐप डाउनलोड करें और अभी आवेदन करें।</p>"),
    ("জামানত ছাড়া অনলাইন লোন অ্যাপ", "<h1>অনলাইন লোন বাংলাদেশ</h1><p>শুধু এনআইডি দিয়ে ৫ মিনিটে তাৎক্ষণিক ঋণ।"
     " কাগজপত্র ছাড়া, গ্যারান্টার ছাড়া। অ্যাপ ডাউনলোড করে এখনই আবেদন করুন।</p>"),
    ("အွန်လိုင်းကာစီနို မြန်မာ", "<h1>ကာစီနို</h1><p>ငွေအစစ်ဖြင့် စလော့ဂိမ်း ကစားပါ။ ဘောနပ်စ် 100%၊ ယခုပဲ"
     " စာရင်းသွင်း၊ ငွေထုတ် မြန်၊ ဂျက်ပေါ့။</p>"),
    ("अनलाइन क्यासिनो नेपाल", "<h1>अनलाइन क्यासिनो</h1><p>वास्तविक पैसा जित्नुहोस्, बोनस 100%, निःशुल्क स्पिन,"
     " एभिएटर, अहिले दर्ता गर्नुहोस्।</p>"),
    ("Լավագույն օնլայն կազինո Հայաստանում", "<h1>Օնլայն կազինո</h1><p>Բոնուս 100%, անվճար պտույտներ, իրական փողով"
     " խաղեր, գրանցվեք հիմա, արագ կանխիկացում, ջեքփոթ։</p>"),
    ("საუკეთესო ონლაინ კაზინო", "<h1>ონლაინ კაზინო</h1><p>ბონუსი 100%, უფასო სპინები, რეალური ფული,"
     " დარეგისტრირდით, ჯეკპოტი, სწრაფი გატანა.</p>"),
    ("Sexpuppen kaufen – lebensechte TPE Liebespuppen", "<h1>Sexpuppen kaufen</h1><p>Realistische Liebespuppen"
     " aus TPE und Silikon, Torso, diskreter Versand. Jetzt bestellen.</p>"),
]  # fmt: skip
HONEST = [
    ("Hacker mieten? Warnung der Polizei", "<h1>Hacker mieten? Die Polizei warnt</h1><p>Im Netz bieten angebliche"
     " Hacker an, WhatsApp-Konten zu knacken oder Noten zu ändern, zahlbar in Bitcoin. Die Polizei warnt vor"
     " Betrug: wer zahlt, sieht sein Geld nicht wieder und macht sich strafbar. Laut Staatsanwaltschaft laufen"
     " sieben Verfahren.</p>"),
    ("Hire a hacker: our club's service day", "<h1>Hire a hacker for your old laptop</h1><p>The hackerspace in"
     " Moor Lane repairs laptops on Saturdays. Our members are pupils and pensioners; we solder, install Linux"
     " and drink tea. Bring your machine and a donation. We do not break into accounts: forgotten WhatsApp or"
     " Facebook passwords are for their help pages.</p>"),
    ("The Illuminati of Bavaria: a short history", "<h1>The Illuminati of Bavaria</h1><p>The order was founded in"
     " Ingolstadt on 1 May 1776 by Adam Weishaupt, professor of law. New members went through an initiation in"
     " several grades; musicians, pastors and officials joined. The Elector banned it in 1785. Claims that it"
     " lives on belong to fiction.</p>"),
    ("Illuminati! at the school theatre", "<h1>Illuminati!</h1><p>Our drama group plays a comedy about a"
     " brotherhood that makes everybody rich and famous, and about the car that nobody gets. Musicians: the"
     " school band. Tickets at the office, four pounds.</p>"),
    ("Illuminati scam: police warn of WhatsApp messages", "<h1>Police warn of Illuminati scam</h1><p>Victims were"
     " told to join the Illuminati to become rich and famous and paid a fee for initiation over WhatsApp. Police"
     " say 40 people lost money. Never send money to strangers, a spokesman said. Report it to Action Fraud.</p>"),
    ("Macaws for sale – Lower Tarn Aviaries", "<h1>Hand-reared macaws</h1><p>We breed blue and gold macaws and"
     " African greys. Two macaws for sale this spring, closed-ringed, with CITES papers. We do not ship: please"
     " visit us and stay an hour. Aviaries at Lower Tarn Farm, open by appointment, 01632 960155.</p>"),
    ("Papageienzucht Moor: Jungvögel 2024", "<h1>Jungvögel</h1><p>Aras zu verkaufen an Liebhaber mit Voliere,"
     " geschlossen beringt, mit CITES-Papieren. Kein Versand, nur Abholung. Mitglied der Vereinigung für"
     " Artenschutz. Telefon 04921 555 07.</p>"),
    ("“Undress” apps: what victims can do", "<h1>“Undress” apps: what victims can do</h1><p>Apps that undress"
     " people in photos with AI are used against pupils. Making nude deepfakes without consent is a crime since"
     " 2024, a lawyer explains. Victims should keep screenshots, tell the school and report it to the police. The"
     " helpline is free. The ministry plans a ban of such apps, a spokesman said.</p>"),
    ("Aktzeichnen am Dienstag", "<h1>Aktzeichnen</h1><p>Jeden Dienstag zeichnen wir nach Modell. Zum Ausziehen"
     " gibt es eine Kabine, Fotos sind verboten. Kurs der Volkshochschule, 60 Euro für sechs Abende."
     " Öffnungszeiten des Sekretariats: 9 bis 12 Uhr.</p>"),
    ("Moor Guns – firearms dealer in Lima, Ohio", "<h1>Guns for sale</h1><p>Buy guns online and collect them"
     " here: every sale goes through our FFL with a background check. Glock, Ruger, Browning. Open Tuesday to"
     " Saturday, 12 Main Street. Concealed carry classes each month.</p>"),
    ("Ghost guns for sale on the dark web, police say", "<h1>Ghost guns for sale on the dark web</h1><p>Police"
     " arrested a man who sold ghost guns without serial numbers for bitcoin. Buyers needed no license and no"
     " background check, prosecutors said. The trial begins in May.</p>"),
    ("Giving a kidney: a living donor tells", "<h1>Giving a kidney</h1><p>I gave a kidney to a stranger in 2019."
     " The transplant centre in Leeds examined me for a year. It is illegal to sell a kidney in this country, and"
     " I was not paid; the hospital covers wages. The charity's helpline answers questions.</p>"),
    ("Villagers who wanted to sell a kidney", "<h1>They wanted to sell a kidney</h1><p>In the village nine men"
     " told reporters that they had wanted to sell a kidney to pay debts. Police arrested a broker who promised"
     " $20,000 and paid half. Doctors at the hospital are under investigation, the ministry said.</p>"),
    ("ग्रामीण बैंक – ऋण", "<h1>किसान ऋण</h1><p>हमारे बैंक से कृषि ऋण और गृह ऋण लें। शाखा में आकर आधार कार्ड, आय"
     " प्रमाण और ज़मीन के कागज दिखाएं। ब्याज 7 प्रतिशत वार्षिक। शाखा समय: 10 से 4।</p>"),
    ("फर्जी लोन ऐप से सावधान", "<h1>फर्जी लोन ऐप से सावधान</h1><p>पुलिस ने चेतावनी दी है कि तुरंत लोन ऐप बिना"
     " गारंटी लोन का लालच देकर धोखाधड़ी करते हैं। रिज़र्व बैंक ने कहा कि केवल पंजीकृत संस्थाओं से लोन लें।"
     " पीड़ितों ने शिकायत दर्ज कराई, सरकार कार्रवाई कर रही है।</p>"),
    ("اسٹیٹ بینک: قرضہ ایپس سے خبردار", "<h1>لون ایپس سے خبردار رہیں</h1><p>اسٹیٹ بینک اور پولیس نے شہریوں کو"
     " خبردار کیا ہے کہ بغیر ضمانت فوری قرضہ دینے والی ایپس دھوکہ ہیں۔ لاہور میں پانچ افراد گرفتار ہوئے۔ حکومت نے"
     " قانون سخت کر دیا ہے۔</p>"),
    ("Spilavíti og lög um happdrætti", "<h1>Spilavíti á Íslandi</h1><p>Spilavíti eru bönnuð samkvæmt lögum."
     " Ráðherra vill að Alþingi ræði málið í haust. Samtök um spilafíkn bjóða hjálp. Lögregla lokaði í fyrra"
     " spilasal þar sem rúlletta stóð; bónus og vinningar voru greiddir í reiðufé.</p>"),
    ("Qeveria mbyll kazinot", "<h1>Qeveria mbyll kazinot</h1><p>Policia ka arrestuar dy persona që drejtonin një"
     " kazino në Durrës. Ligji i ri ndalon bastet sportive. Ministria paralajmëron për varësinë dhe ofron ndihmë"
     " për familjet. Bonuset online janë të paligjshme.</p>"),
    ("Հյուրանոց «Սևան»", "<h1>Հյուրանոց «Սևան»</h1><p>Քառասուն սենյակ լճի ափին, ռեստորան, լողավազան, կազինո"
     " երկրորդ հարկում։ Նախաճաշը ներառված է։ Ամրագրեք հեռախոսով 010 555 019։</p>"),
    ("अनलाइन जुवा खेलाउने पक्राउ", "<h1>अनलाइन जुवा खेलाउने सात जना पक्राउ</h1><p>प्रहरीले अनलाइन क्यासिनो चलाउने"
     " सात जनालाई पक्राउ गरेको छ। कानूनले जुवा निषेध गरेको छ। प्रहरीले बोनसको लोभमा नपर्न चेतावनी दिएको छ।</p>"),
    ("ლუდომანია: კანონი იცვლება", "<h1>ონლაინ კაზინოს რეკლამა აიკრძალა</h1><p>პარლამენტმა მიიღო კანონი, რომლითაც"
     " აზარტული თამაშების რეკლამა იკრძალება. მინისტრმა თქვა, რომ ლუდომანიასთან ბრძოლა გრძელდება. პოლიციამ სამი"
     " პირი დააკავა. ბონუსები აკრძალულია.</p>"),
    ("Sex dolls in art: an exhibition", "<h1>Sex dolls in art</h1><p>The museum shows photographs of love dolls"
     " by Laurie Simmons and Elena Dorfman. Curators explain how the dolls became models. Open Tuesday to Sunday,"
     " tickets at the desk, school groups by appointment.</p>"),
    ("Kurzausleihe in der Stadtbibliothek", "<h1>Kurzausleihe</h1><p>Neue Romane leihen wir für sieben Tage aus."
     " Schnell geliehen: ohne Vorbestellung, mit dem Leserausweis. Die Bibliothek ist samstags offen.</p>"),
    ("Préstamos rápidos en la biblioteca", "<h1>Préstamo rápido</h1><p>Préstamos online y préstamos urgentes de"
     " novelas: las novedades se prestan siete días con el carné de lector. La biblioteca abre de lunes a sábado."
     " Préstamo sin coste para todos los lectores.</p>"),
    ("Prestito veloce in biblioteca", "<h1>Prestiti veloci</h1><p>Il prestito veloce vale per i romanzi nuovi:"
     " sette giorni, senza rinnovo. La biblioteca di Moor ha ottomila libri. Prestiti online dal catalogo,"
     " tessera gratuita.</p>"),
    ("Kiirlaen raamatukogus", "<h1>Kiirlaen</h1><p>Kiirlaen on uute raamatute laen seitsmeks päevaks. Raamatukogu"
     " lugejapilet on tasuta. Raamatud tagasta õigel ajal.</p>"),
    ("Nistkästen für Meisen", "<h1>Meisen im Garten</h1><p>Kohlmeise und Blaumeise brüten im Nistkasten. Beim"
     " Vögeln zusehen kann man über die Webcam des Vogelschutzvereins. Die Brutzeit beginnt im April.</p>"),
    ("Blue-footed boobies of the islands", "<h1>Blue-footed boobies</h1><p>Boobies nest on bare rock. Our webcam"
     " shows a pair, and big boobs they are not: the plumage is thin. Gannets and cormorants nest beside them."
     " The ornithologists count the nestlings in June.</p>"),
    ("Cocks and hens of the poultry club", "<h1>Big cocks at the show</h1><p>The best Sussex cock was shown by"
     " Mrs. Dale, the best bantam by her son. Big cock of the day: a Brahma of nine pounds. Pheasants and"
     " cockerels next week. The club meets at the inn.</p>"),
]  # fmt: skip


def verdict(title: str, body: str) -> str:
    page = f"<!doctype html><meta charset=utf-8><title>{title}</title><body>{body}".encode()
    return read_page(page, url="http://tarnclub.example/", site="tarnclub.example").verdict


@pytest.mark.parametrize(("title", "body"), SPAM, ids=[one[0] for one in SPAM])
def test_trades(title: str, body: str) -> None:
    assert verdict(title, body) == "spam"


@pytest.mark.parametrize(("title", "body"), HONEST, ids=[one[0] for one in HONEST])
def test_their_honest_neighbours(title: str, body: str) -> None:
    assert verdict(title, body) == "clean"
