"""Spam as affiliates and resellers write it: reviews, profiles, product pages, guides; most name their trade seldom."""

from __future__ import annotations

from tests.unit.review.composed_honest import Honest, _read

_RAW = """
gambling review en|en|Lucky Koala Review 2023 - Is It Legit?
Lucky Koala has been around since 2019 and holds a Curacao licence. The lobby lists more than 2,000 games from Pragmatic Play, Evolution Gaming and Play'n GO, so there is something for every player.
New customers get a welcome bonus of 100% up to $500 plus 100 free spins on Big Bass Bonanza. The wagering requirement is 35x and the offer expires after seven days.
Withdrawals are processed within 24 hours; we received our money by Skrill the next day. Live dealer tables open around the clock. Overall we rate the site 4.5 out of 5. Visit Lucky Koala now and claim your bonus.
==
gambling slot en|en|Book of Pharaohs Deluxe
Book of Pharaohs Deluxe is a five reel video slot with ten paylines and an RTP of 96.2 percent. Three scatter symbols trigger ten free spins with an expanding wild. The volatility is high, so expect long dry spells between wins.
Play the free demo above or try it for real money at one of our recommended casinos. The gamble feature lets you double any win by guessing the colour of a card.
==
gambling tips en|en|Today's sure football predictions
Our tipsters studied every match of the weekend. Get free betting tips, over 2.5 goals, both teams to score and correct score predictions. VIP members receive fixed odds and sure bets by WhatsApp.
Best bookmakers: 22Bet, Melbet, 1xBet. Register with our promo code and get a 100 percent deposit bonus.
==
gambling bg|bg|Най-добрите онлайн казина в България
Сравнихме всички лицензирани оператори и подредихме класацията. Вземете бонус без депозит и 50 безплатни завъртания при регистрация. Ротативки, рулетка на живо и спортни залози на едно място.
Тегленето на печалби отнема до 24 часа.
==
gambling sr|sr|Najbolji online kazino bonusi u Srbiji
Uporedite kazino bonus ponude i preuzmite besplatne spinove bez depozita. Slot igre, rulet uživo i sportsko klađenje sa najvećim kvotama. Registrujte se i odigrajte prvi tiket gratis.
==
gambling ms|ms|Mega888 Malaysia - Muat Turun APK dan Login
Mega888 ialah kasino dalam talian paling popular di Malaysia. Dapatkan free kredit RM10 tanpa deposit, ewallet slot dan cuci pantas. Cuba juga 918Kiss dan Pussy888.
==
gambling hi|hi|सट्टा मटका रिजल्ट - कल्याण चार्ट
आज का कल्याण मटका रिजल्ट सबसे तेज़ यहाँ देखें। सट्टा किंग, मिलन डे और राजधानी नाइट का चार्ट, फिक्स ओपन और मटका गेसिंग। असली पैसे जीतें, अभी रजिस्टर करें।
==
gambling no|no|Beste norske casino på nett 2024
Vi har testet nettcasino med norsk kundeservice og raske uttak. Hent velkomstbonus og 100 gratisspinn uten innskudd. Spilleautomater, live casino og odds bonus. Les anmeldelsene våre før du registrerer deg.
==
gambling da|da|Casino uden ROFUS - spil uden MitID
Her finder du en liste over casino uden dansk licens. Få 200 free spins uden indbetaling og en bonus på 5.000 kr. Ingen omsætningskrav, hurtig udbetaling med krypto. Betting uden ROFUS er også muligt.
==
gambling ko casino|ko|에볼루션카지노 추천 및 가입쿠폰
국내 최대 온라인카지노 커뮤니티에서 먹튀 없는 카지노사이트만 엄선했습니다. 바카라, 슬롯, 홀덤까지 즐기고 첫충 30% 보너스를 받으세요. 안전놀이터 이용 방법도 안내합니다.
==
gambling zh tw|zh|九州娛樂城 線上百家樂 註冊送體驗金
九州娛樂城提供真人百家樂、老虎機、運彩投注與捕魚遊戲。新會員註冊即送體驗金，首儲優惠加倍。出金快速，二十四小時客服，立即加入現金版。
==
adult profile en|en|Anna, 24, independent companion
Hi gentlemen, I am Anna, a sensual blonde offering GFE, erotic massage and role play. Incall and outcall in the city centre, 200 per hour, 1000 overnight. No bareback. I am a real escort with real photos, call or WhatsApp me for a hot date.
More escort girls: Bella, Carla, Diana. Read the reviews of our escorts.
==
adult in|en|Mumbai Call Girls - Independent Escorts Service
Book gorgeous call girls in Mumbai at low rates. Our escort service offers college girls, housewives, air hostess and Russian models at 5 star hotels. Call girls WhatsApp number available 24/7. Full satisfaction with sexy girls guaranteed.
==
adult tr city|tr|Ataşehir Escort - Elit Escort Bayanlar
Ataşehir escort ilanları ve gerçek resimli bayanlar. Otele gelen escort, eve gelen escort ve sınırsız görüşme seçenekleri. Kadıköy escort ve Pendik escort bayanlar için bize ulaşın.
==
adult es|es|Escorts en Madrid - chicas de compañía
Encuentra escorts independientes en Madrid con fotos reales. Putas, masajes eróticos y sexo sin compromiso las 24 horas. Contacta por WhatsApp con chicas universitarias y maduras.
==
adult th|th|ดูหนังโป๊ออนไลน์ฟรี หนังเอ็กซ์ คลิปหลุด
รวมคลิปหลุดนักศึกษา หนังโป๊ไทย หนัง av ญี่ปุ่น ดูฟรีไม่มีสะดุด เย็ดสาวสวย อัปเดตใหม่ทุกวัน
==
adult ar|ar|افلام سكس عربي - سكس مترجم
شاهد افلام سكس عربي وسكس مصري جديد، مقاطع نيك وصور سكس بنات مجانا بدون اشتراك. سكس محارم مترجم وتحميل سكس مباشر.
==
pharma product en|en|Kamagra Oral Jelly 100mg
Kamagra Oral Jelly contains sildenafil citrate and works within 20 minutes. Order 30 sachets for $59 with free airmail shipping and 10 bonus pills. No prescription needed, discreet packaging, we accept Visa and Bitcoin.
Customers also bought: Cialis Soft, Viagra Professional, Levitra, Priligy. Buy cheap generic drugs at our online pharmacy.
==
pharma da|da|Køb Viagra uden recept
Bestil Viagra, Cialis og Kamagra online uden recept. Diskret levering i hele Danmark, billige priser og gratis piller ved køb af mere end 30 tabletter. Potensmidler sendes samme dag.
==
pharma ro|ro|Viagra și Cialis fără rețetă
Cumpără Viagra online fără rețetă, la preț mic. Livrare discretă în 24 de ore. Kamagra, Cialis generic și alte pastile pentru potență în stoc, plata la livrare.
==
pharma id|id|Jual Obat Kuat Viagra Asli COD
Toko kami menjual obat kuat pria, Viagra asli, Cialis dan obat pembesar penis herbal. Obat perangsang wanita cair tanpa warna. Pesan via WhatsApp, bayar di tempat, privasi aman.
==
pharma drugs en|en|Order psychedelics and research chemicals online
Buy magic mushrooms, LSD tabs, DMT carts and MDMA online with Bitcoin. Buy ketamine powder and Xanax bars without prescription. Stealth shipping worldwide, overnight delivery in the USA.
==
payday us|en|Need cash before payday?
Bad credit OK! Get up to $1,500 direct to your bank account, often the next business day. Our online form takes two minutes, no faxing, no paperwork, no credit check with most lenders. Payday loans and installment loans online for residents of most states.
Apply now for a cash advance and get an instant decision.
==
payday ro|ro|Împrumut rapid online doar cu buletinul
Credit nebancar fără adeverință de venit, aprobare în 15 minute. Credite rapide online pentru rău platnici, bani în cont astăzi. Aplică acum pentru un împrumut urgent.
==
payday ja|ja|ブラックでも借りられるソフト闇金の一覧
審査なしで即日融資が可能な業者を紹介します。在籍確認なし、ブラックOK。クレジットカード現金化や後払い現金化も即日振込に対応。お金借りるなら今すぐお申し込みください。
==
payday id|id|Pinjaman Online Cepat Cair Tanpa Jaminan
Butuh dana cepat? Pinjaman online langsung cair dalam 5 menit hanya dengan KTP. Tanpa jaminan, tanpa BI checking, bunga rendah. Ajukan pinjaman uang cepat sekarang juga.
==
replica watch en|en|Submariner 116610LN Super Clone V12
Our 1:1 superclone Rolex replica comes with a Swiss ETA movement and sapphire crystal. Replica watches ship from our factory with a QC video. Pay by Western Union or crypto, free shipping. See also: Audemars Piguet replica, Hublot replica, Patek replica watches.
==
essay docs ru|ru|Купить диплом с занесением в реестр
Купить диплом о высшем образовании на бланке Гознак. Изготовим аттестат, медицинскую справку и водительские права. Оплата после получения, доставка по России. Дипломы вузов и техникумов недорого.
==
replica ko|ko|명품 레플리카 쇼핑몰 - 미러급 이미테이션
루이비통, 샤넬, 구찌 레플리카 가방을 최저가로 판매합니다. 홍콩명품 미러급 짝퉁 시계와 지갑, 당일 배송. 레플리카사이트 추천 1위.
==
essay zh|zh|论文代写_英国作业代写_留学生网课代修
专业论文代写团队，提供essay代写、assignment代写、毕业论文代写和网课代修服务。原创保过，不过全额退款。代考请联系客服微信。
==
essay tr|tr|Tez Yazdırma Merkezi - Ücretli Tez ve Ödev
Uzman kadromuzla ücretli tez yazdırma, ödev yaptırma ve proje hazırlama hizmeti veriyoruz. Yüksek lisans tezi yazdır, intihal raporu hediye. Parayla tez yazdırmak artık çok kolay.
==
crypto plan en|en|AlphaTrust Investments
Earn 5% daily for 20 days. Our trading bot guarantees a daily profit with no risk. Choose your investment plan: Starter 5% daily, Gold 8% daily, VIP 12% after 24 hours. Minimum deposit $50, instant withdrawals, 7% referral commission.
Double your bitcoin with our cloud mining contracts. Register now, deposit and start earning passive income today.
==
crypto recovery en|en|Hire a hacker to recover your stolen bitcoin
I lost 4 BTC to a fake broker until I contacted this ethical hacker for hire. He is a crypto recovery expert and got my funds back in 48 hours. Contact the bitcoin recovery expert by WhatsApp or email.
==
crypto ru|ru|Инвестиции с доходом 5% в день
Гарантированный доход, автоматические выплаты и партнёрская программа. Хайп проект работает с 2019 года, облачный майнинг и торговый робот приносят пассивный доход. Удвоение биткоинов за 24 часа.
==
warez games en|en|Castle Clash Mod APK v3.1 (Unlimited Money and Gems)
Download Castle Clash Mod APK with unlimited gems, unlimited money and all heroes unlocked. No root, no survey, no human verification. Our hack tool works on Android and iOS.
==
warez vi|vi|Tải IDM full crack mới nhất vĩnh viễn
Tải IDM full crack miễn phí, kích hoạt bản quyền vĩnh viễn. Link Google Drive không virus, kèm key bản quyền và keygen. Hướng dẫn cài đặt crack chi tiết.
==
warez tr|tr|Photoshop Full İndir - Türkçe Crack
Photoshop son sürüm full indir, crack ve lisans anahtarı ile birlikte. Tek link indir, kurulum videosu mevcut. Full program indir, keygen dahil.
==
doorway ja brand|ja|【正規品 激安】モンクレール ダウン アウトレット 送料無料 通販
モンクレール ダウン レディース 新作 激安。公式 激安 人気 アウトレット 送料無料。正規店 激安 即納 代引き可 最安値 在庫処分セール。
"""

SUBTLE: tuple[Honest, ...] = tuple(_read(_RAW))
