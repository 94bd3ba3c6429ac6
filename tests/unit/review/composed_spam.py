"""Spam pages of every trade in many languages, written for the tests in the manner of the real ones."""

from __future__ import annotations

from tests.unit.review.composed_honest import Honest, _read

_RAW = """
gambling en|en|Best Real Money Casinos 2023 - Top 10 Sites Reviewed
Looking for the top casino sites for US players? Our experts rated the most trusted brands. Claim a 200% match bonus up to $3,000 plus 50 free spins when you sign up today. No deposit bonus codes are updated daily.
Play thousands of online slots, live dealer tables and video poker. Fast payouts in bitcoin within 24 hours. Wagering requirements apply.
==
gambling de|de|Online Casino Echtgeld: die besten Anbieter im Test
Wir haben 50 Casinos geprüft. Sichern Sie sich jetzt 100% Bonus bis 500 Euro und 200 Freispiele ohne Einzahlung. Die Auszahlung erfolgt innerhalb von 24 Stunden per PayPal.
Book of Ra, Starburst und viele weitere Spielautomaten warten auf Sie. Jetzt registrieren und spielen!
==
gambling fr|fr|Casino en ligne fiable : notre comparatif
Découvrez le classement des meilleurs casinos en ligne pour joueurs français. Bonus sans dépôt de 20 euros et 100 tours gratuits à l'inscription. Retraits rapides, machines à sous, blackjack et roulette en direct.
Inscrivez-vous et jouez avec de l'argent réel dès maintenant.
==
gambling es|es|Los mejores casinos online con bono de bienvenida
Consigue tiradas gratis sin depósito en las mejores tragaperras online. Nuestros casinos con licencia ofrecen ruleta en vivo, blackjack y póker. Regístrate hoy y recibe hasta 500 euros.
Métodos de pago: tarjeta, transferencia, bitcoin. Retiradas en 24 horas.
==
gambling it|it|Migliori casino non AAMS 2024 con bonus senza deposito
I casino online stranieri offrono bonus benvenuto fino a 2000 euro e giri gratis senza deposito. Scopri le slot più popolari, il blackjack e la roulette dal vivo. Registrazione senza documenti.
==
gambling nl|nl|Beste online casino zonder Cruks
Speel bij een online casino zonder Cruks en ontvang gratis spins zonder storting. Uitbetaling binnen een uur met iDEAL. Gokkasten, roulette en blackjack met echt geld.
==
gambling pt|pt|Melhores cassinos online com bônus sem depósito
Ganhe rodadas grátis no cadastro e jogue os caça-níqueis mais populares. Depósito por PIX, saque em minutos. Aposte também em futebol nas melhores casas de apostas.
==
gambling tr|tr|Deneme Bonusu Veren Siteler 2024 - Güncel Liste
Çevrimsiz deneme bonusu veren siteler listemiz güncellendi. Hemen üye ol, yatırımsız bonus kazan. Canlı casino, slot ve bahis seçenekleri ile yeni giriş adresi burada.
==
gambling ru|ru|Казино Вулкан официальный сайт - играть на деньги
Получите бездепозитный бонус за регистрацию и 50 фриспинов. Рабочее зеркало доступно круглосуточно. Игровые автоматы с высокой отдачей, быстрый вывод на карту.
==
gambling uk|uk|Найкращі онлайн казино України
Отримайте бездепозитний бонус та фріспіни за реєстрацію. Ігрові автомати на гроші, швидкий вивід на картку, ліцензійні слоти.
==
gambling sv|sv|Casino utan svensk licens 2024 - bästa nya casinon
Få 100 free spins utan insättning och snabba uttag. Casino utan Spelpaus med Trustly och bitcoin. Insättningsbonus upp till 10 000 kronor.
==
gambling ja|ja|オンラインカジノおすすめランキング2024 入金不要ボーナス
日本人に人気のオンラインカジノを徹底比較。登録するだけで入金不要ボーナスがもらえます。フリースピンやライブカジノ、出金条件も詳しく解説。
==
gambling zh|zh|澳门新葡京娱乐城官网 - 注册送彩金
真人百家乐、时时彩、北京赛车、电子老虎机，应有尽有。首存送百分之百，提款秒到账。24小时在线客服。立即注册领取体验金。
==
gambling ko|ko|카지노사이트 추천 - 먹튀검증 완료
안전한 카지노사이트와 토토사이트를 소개합니다. 신규 가입시 꽁머니 지급, 첫충 30%. 에볼루션 바카라, 슬롯사이트 실시간 안내.
==
gambling th|th|สล็อตเว็บตรง แตกง่าย ไม่ผ่านเอเย่นต์ 2024
เว็บสล็อตออนไลน์อันดับ 1 ฝากถอนออโต้ รวดเร็วทันใจ สมัครวันนี้รับเครดิตฟรี 100 บาท บาคาร่าออนไลน์ แทงบอล ครบจบในที่เดียว
==
gambling vi|vi|Nhà cái uy tín - Link vào mới nhất
Đăng ký ngay nhận thưởng 100k. Casino trực tuyến, nổ hũ, bắn cá đổi thưởng, tài xỉu, lô đề. Nạp rút nhanh chóng trong 5 phút. Kèo nhà cái cập nhật liên tục.
==
gambling id|id|Situs Slot Gacor Hari Ini Gampang Menang
Daftar slot deposit pulsa tanpa potongan. RTP live tertinggi, bonus new member 100%. Bandar togel terpercaya dan agen bola resmi. Link alternatif selalu aktif.
==
gambling pl|pl|Najlepsze kasyna online 2024 - darmowe spiny bez depozytu
Zgarnij bonus powitalny kasyno do 2000 zł i darmowe spiny. Automaty do gier, ruletka na żywo, szybkie wypłaty Blik. Zarejestruj się już teraz.
==
gambling cs|cs|České online casino - free spiny za registraci
Získejte casino bonus bez vkladu 500 Kč a free spiny dnes. Výherní automaty online, ruleta, blackjack. Rychlé výplaty.
==
gambling ro|ro|Cele mai bune cazinouri online - rotiri gratuite fără depunere
Primești bonus fără depunere la înregistrare și rotiri gratuite la păcănele online. Pariuri sportive cu cote mari. Retrageri rapide.
==
gambling hu|hu|Legjobb online kaszinók magyar játékosoknak
Szerezz befizetés nélküli bónuszt és ingyenes pörgetéseket. Online nyerőgépek, rulett, gyors kifizetés. Regisztrálj most!
==
gambling el|el|Τα καλύτερα online καζίνο - δωρεάν περιστροφές
Κερδίστε μπόνους χωρίς κατάθεση και δωρεάν περιστροφές σε φρουτάκια online. Live καζίνο με ρουλέτα και μπλακτζακ. Γρήγορες πληρωμές.
==
gambling fi|fi|Parhaat nettikasinot ilman rekisteröitymistä
Nappaa ilmaiskierrokset ilman talletusta ja talletusbonus jopa 1000 euroa. Pikakasinot maksavat voitot heti tilille.
==
gambling ar|ar|أفضل كازينو أونلاين - بونص بدون إيداع
سجل الآن واحصل على دورات مجانية ومكافأة ترحيبية. العاب كازينو مباشرة، ماكينات القمار، مراهنات رياضية وسحب سريع للأرباح.
==
gambling fa|fa|بهترین سایت شرط بندی فوتبال و کازینو آنلاین
بازی انفجار با ضریب بالا، پوکر آنلاین و کازینو زنده. همین حالا ثبت نام کنید و بونوس خوش آمدگویی بگیرید. آدرس جدید سایت در کانال.
==
adult en|en|Free Porn Videos - HD XXX Tube
Watch the hottest porn videos for free. MILF, teen, anal, blowjob and creampie scenes in HD. Join our live sex cams and chat with horny girls.
==
adult escorts|en|London Escorts - VIP escort girls, incall and outcall
Our independent escorts offer the girlfriend experience, erotic massage and discreet hotel visits. Busty blonde escorts available 24 hours. Book your escort girl now.
==
adult de|de|Sexkontakte und Huren in deiner Nähe
Geile Frauen suchen Sextreffen. Escort Damen, Hobbyhuren und erotische Massagen in deiner Stadt. Kostenlose Pornos und Livecams.
==
adult ru|ru|Проститутки Москвы - индивидуалки, интим услуги
Анкеты индивидуалок с фото. Эскорт, эротический массаж, выезд к клиенту. Дешевые проститутки рядом с метро.
==
adult tr|tr|Ankara escort bayan - vip eskort
Ateşli bayan escort, otele gelen eskort bayanlar, sınırsız hizmet. Rus escort ve türbanlı seçenekleri.
==
adult ja|ja|無修正アダルト動画 無料エロ動画まとめ
素人動画、人妻、巨乳、av女優の最新作を毎日更新。無料でアダルト動画が見放題。デリヘル情報も。
==
adult zh|zh|免费成人视频在线观看 - 国产av无码
自拍偷拍、人妻熟女、亚洲无码、欧美激情视频，每日更新。91porn 精品，高清无码在线观看。
==
adult pt|pt|Acompanhantes de luxo e garotas de programa
Mulheres nuas, gostosas peladas e sexo amador. Vídeos porno grátis e contos eróticos todos os dias.
==
adult pl|pl|Sex ogłoszenia i anonse towarzyskie
Darmowe sex filmy, kamerki erotyczne i prywatne ogłoszenia erotyczne. Masaż erotyczny w Twoim mieście.
==
pharma en|en|Buy Viagra Online Without Prescription - Canadian Pharmacy
Cheap generic Viagra, Cialis and Levitra with overnight delivery. No prescription needed, free bonus pills with every order. Visa and bitcoin accepted.
==
pharma de|de|Viagra rezeptfrei kaufen - Potenzmittel online bestellen
Kamagra, Cialis und Levitra günstig und diskret per Nachnahme. Potenzmittel ohne Rezept in 48 Stunden geliefert.
==
pharma fr|fr|Acheter Viagra sans ordonnance en ligne
Pharmacie en ligne sans ordonnance: Cialis pas cher, Kamagra, livraison discrète en 48 heures. Viagra naturel et générique.
==
pharma es|es|Comprar Cialis sin receta - farmacia online
Viagra genérica, Kamagra y Levitra baratos. Farmacia online sin receta con envío discreto a toda España.
==
pharma it|it|Viagra senza ricetta - farmacia online
Acquistare Cialis generico a basso prezzo. Kamagra oral jelly, spedizione anonima in tutta Italia, senza ricetta medica.
==
pharma pl|pl|Viagra bez recepty - tabletki na potencję
Kamagra sklep internetowy: leki na potencję bez recepty, dyskretna wysyłka, płatność przy odbiorze. Tabletki na erekcję tanio.
==
pharma ru|ru|Купить виагру в Москве - дженерики для потенции
Препараты для потенции без рецепта с доставкой. Сиалис, левитра, дапоксетин. Женская виагра и возбудители.
==
pharma ja|ja|バイアグラ通販 シアリスジェネリック 個人輸入代行
ED治療薬を最安値でお届け。バイアグラ 通販、レビトラ 通販、精力剤 販売。処方箋不要で自宅まで。
==
pharma zh|zh|威而鋼官網 犀利士購買 壯陽藥專賣
正品威而鋼、犀利士、樂威壯、必利勁，貨到付款。改善陽痿早洩，持久增硬。印度進口，隱密包裝。
==
payday en|en|Payday Loans Online - No Credit Check, Same Day Cash
Need cash today? Get a payday loan of up to $1,000 even with bad credit. Guaranteed approval, no faxing, money in your account within one hour. Apply now.
==
payday ru|ru|Займ на карту без отказа онлайн
Срочный займ круглосуточно с плохой кредитной историей. Получить займ за 5 минут по паспорту, деньги до зарплаты без справок.
==
payday pl|pl|Chwilówki online bez BIK - pożyczka w 15 minut
Pożyczki bez baz i bez zaświadczeń. Pierwsza pożyczka za darmo. Pożyczka na dowód, także dla zadłużonych.
==
payday es|es|Préstamos rápidos online con ASNEF
Dinero urgente en 10 minutos. Minicréditos sin nómina y sin aval, préstamos con ASNEF. Solicita ahora tu primer crédito gratis.
==
payday uk|uk|Кредит онлайн на картку без відмови
Швидкий кредит до зарплати без довідок. Позика онлайн за 10 хвилин, перша під 0 відсотків.
==
replica en|en|Swiss Replica Watches - Fake Rolex Outlet
Best replica Rolex, Omega and Breitling watches at cheap prices. AAA quality, free shipping worldwide. Replica handbags: Louis Vuitton, Gucci, Chanel.
==
replica fr|fr|Sac Louis Vuitton pas cher - Sacs Gucci soldes
Répliques de montres et sac Chanel pas cher. Livraison gratuite. Air Max pas cher et Moncler soldes jusqu'à 70%.
==
replica ja|ja|ブランドコピー専門店 スーパーコピー時計 N級品
ルイヴィトン コピー、ロレックス コピー、シャネル スーパーコピー激安通販。国内発送、代引き対応。最高級品を格安で。
==
doorway ja|ja|【楽天市場】激安 通販 送料無料 人気 ブーツ レディース
新作 激安 アウトレット ブーツ 送料無料。正規品 激安 最安値。代引き可 即納 在庫処分セール。公式通販 人気 おすすめ。
==
essay en|en|Write My Essay For Me - Cheap Essay Writing Service
Pay someone to do your homework. Our professional essay writers deliver custom essays, term papers and dissertations, 100% plagiarism free. Order essay online with a discount.
==
essay ru|ru|Курсовые и дипломные работы на заказ
Заказать курсовую недорого. Дипломные работы на заказ, рефераты на заказ, антиплагиат гарантирован. Купить диплом о высшем образовании.
==
essay de|de|Bachelorarbeit schreiben lassen - Ghostwriter
Akademische Ghostwriter schreiben Ihre Hausarbeit, Masterarbeit oder Dissertation. Hausarbeit schreiben lassen ab 49 Euro, diskret.
==
crypto en|en|Double Your Bitcoin in 24 Hours - Trusted HYIP
Guaranteed daily profit of 10%. Our crypto investment platform pays instant withdrawals. Bitcoin doubler with referral bonus. Minimum deposit 0.001 BTC.
==
warez en|en|Photoshop Crack Full Version Free Download with Serial Key
Download the cracked version with keygen and activation key free. Full version crack, patch and license key 2023. Torrent download.
==
warez ru|ru|Скачать кряк бесплатно - ключи активации
Ключ активации скачать бесплатно без регистрации и смс. Активатор Windows, кейген, взломанная версия через торрент.
==
warez es|es|Descargar gratis full crack por MEGA
Programa full crack en español. Crack y serial, activador Windows, descargar torrent. Licencia gratis crack 2023.
"""

SPAM: tuple[Honest, ...] = tuple(_read(_RAW))
