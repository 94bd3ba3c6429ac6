"""More honest pages near the subjects that spam sells: lawful shops, lenders, help, museums, and reports."""

from __future__ import annotations

from tests.unit.review.composed_honest import Honest, _read

_RAW = """
pharmacy otc it|it|Farmacia San Marco: farmaci senza ricetta
La Farmacia San Marco vende online farmaci senza ricetta e prodotti da banco, con autorizzazione del Ministero della Salute. Antidolorifici, sciroppi e vitamine arrivano in 48 ore. Per il Viagra e per gli altri medicinali su prescrizione serve la ricetta del medico e il ritiro in farmacia.
Il nostro farmacista risponde alle domande sulla disfunzione erettile, sui dosaggi e sugli effetti collaterali. Prenota un consulto gratuito.
==
pharmacy otc pl|pl|Apteka Zdrowie - leki bez recepty online
Apteka internetowa Zdrowie oferuje leki bez recepty online, kosmetyki i suplementy. Zamówienia realizujemy w 24 godziny, farmaceuta doradza telefonicznie. Leki na potencję z sildenafilem dostępne są po konsultacji z farmaceutą.
Zezwolenie Głównego Inspektoratu Farmaceutycznego numer 12/2011.
==
pharmacy otc hu|hu|Online patika - vény nélkül kapható gyógyszerek
Patikánkban vény nélkül kapható gyógyszerek, vitaminok és gyógyászati segédeszközök rendelhetők. A vényköteles készítményeket csak személyesen adjuk ki. Kérdése van a merevedési zavarról vagy az allergiáról? Gyógyszerészünk válaszol.
==
pharmacy otc de|de|Versandapotheke Linden: rezeptfreie Medikamente günstig bestellen
In unserer Versandapotheke bestellen Sie rezeptfreie Medikamente, Kosmetik und Nahrungsergänzung. Verschreibungspflichtige Arzneimittel wie Sildenafil versenden wir nur gegen Rezept. Die Lieferung erfolgt innerhalb von zwei Werktagen, ab 19 Euro versandkostenfrei.
Unser Team berät Sie zu Wechselwirkungen und zur richtigen Einnahme.
==
museum money ru|ru|Музей игровых автоматов: экспозиция
Музей советских игровых автоматов приглашает гостей всех возрастов. В экспозиции шестьдесят игровых автоматов: Морской бой, Снайпер, Городки. Посетители могут играть на автоматах за пятнадцать копеек, входящих в билет.
Экскурсии проходят каждый час. В зале работает кафе, где подают газировку и мороженое. Музей основан студентами политехнического университета.
==
casino hotel|en|Grand Harbor Resort and Casino
Grand Harbor Resort has 480 rooms, two pools, a spa and a 40,000 square foot casino with slot machines, blackjack, roulette and a poker room. The hotel is ten minutes from the airport and has free parking.
Dine at four restaurants, see live concerts in the ballroom, or book one of twelve meeting rooms. The casino floor is open to guests over 21. Join our players club at the desk. Please gamble responsibly.
==
casino history|en|A history of the Monte Carlo Casino
The casino of Monte Carlo opened in 1863 and was rebuilt by Charles Garnier after the fire. Roulette, trente et quarante and later baccarat and blackjack brought visitors from all over Europe. In 1913 black came up twenty-six times in a row and players lost millions.
The building has been a listed monument since 1989. Guided tours of the gaming rooms, the atrium and the opera house start at ten. The archive holds posters, chips and croupiers' uniforms.
==
poker club|en|Northside Poker and Chess Club
We are an amateur club that meets on Wednesdays above the library. Members play Texas hold'em poker for points, not money, and chess, bridge and backgammon. Newcomers are welcome, and our coaches explain pot odds, position and bluffing.
The annual poker tournament raises money for the children's hospital. Club rules, league tables and photos are on these pages.
==
credit union|en|Riverbend Credit Union: personal loans
Riverbend Credit Union offers personal loans, auto loans and mortgages to people who live or work in the county. Apply online, get a decision the same day, and talk to a loan officer about your credit score. Our payday alternative loans cost at most 28 percent a year and help members avoid payday lenders.
Loans are subject to approval. We are insured by the NCUA and have served members since 1952.
==
bank es|es|Banco Cooperativo: préstamos personales
Solicita tu préstamo personal online y recibe la respuesta en minutos. Financia tu coche, tus estudios o la reforma de tu casa con un préstamo desde 3.000 euros, TIN 5,95 %, TAE 6,12 %. Sin comisión de apertura para clientes con nómina domiciliada.
Consulta las condiciones en tu oficina o llama al servicio de atención al cliente.
==
bank fr|fr|Crédit personnel - Banque Populaire du Lac
Simulez votre crédit en ligne et obtenez une réponse de principe immédiate. Un crédit vous engage et doit être remboursé. Nos conseillers étudient votre offre de prêt pour une voiture, des travaux ou un mariage, à partir de 1 500 euros.
Le taux dépend du montant et de la durée. Prenez rendez-vous dans une agence.
==
shop ja|ja|家具の激安通販 ひまわり家具
ひまわり家具は北欧テイストの家具を激安価格でお届けする通販ショップです。全品送料無料、即日発送。ソファー、ベッド、テーブル、収納棚を豊富に取り揃えています。
アウトレットコーナーでは展示品の大特価セールを実施中。お支払いは代引き、銀行振込、クレジットカードをご利用いただけます。新品未使用の正規品のみを扱っています。
==
shop2 ja|ja|スポーツ用品のアウトレットセール - 山田スポーツ
山田スポーツのオンラインショップではシューズ、ウェア、ラケットをお買い得価格で販売しています。ナイキ、アディダス、アシックスの正規品を取り扱い、五千円以上で送料無料です。
人気ランキングと新作情報は毎週更新。店舗は大阪市中央区にあり、年中無休で営業しています。
==
univ zh|zh|毕业证办理流程 - 学生处
应届毕业生请于六月十五日前到教务处办理毕业证领取手续。成绩单办理需提前三个工作日申请，学历认证办理请登录学信网。遗失毕业证书的校友可以申请毕业证明书。
咨询电话和办公时间见学生处网站。
==
tech zh|zh|新款手机评测：跑分与续航
这款手机的跑分超过一百万，屏幕刷新率达到一百二十赫兹。我们测试了相机、电池和散热表现，并与上一代产品做了对比。增大的电池让续航时间延长了两个小时。
价格方面，国行版售价三千九百九十九元起，国产精品做工令人满意。
==
broadcast ko|ko|드라마 다시보기 - 한국방송
한국방송 누리집에서 드라마와 예능 프로그램을 다시보기로 시청하실 수 있습니다. 본방송 후 일주일 동안 무료로 제공되며 회원 가입이 필요합니다.
편성표와 예고편, 시청자 게시판을 이용해 주세요. 저작권이 있는 영상의 무단 배포는 금지됩니다.
==
exchange ko|ko|공항 환전 안내
인천공항 은행 지점에서는 스물두 가지 통화를 환전할 수 있습니다. 환전 수수료 할인 쿠폰은 은행 앱에서 내려받을 수 있으며 여행자 보험도 함께 가입할 수 있습니다.
==
bank tr|tr|Hemen Kredi - Anadolu Bankası
İhtiyaç kredisi başvurunuzu mobil şubeden ya da SMS ile yapın, kredi notunuza uygun teklifimizi öğrenin. Faiz oranları ve vade seçenekleri için hesaplama aracını kullanın. Para yatırma ve para çekme işlemleri için en yakın şubeyi bulun.
Bankamız 1954 yılında kurulmuştur ve 300 şubesiyle hizmet vermektedir.
==
fire tr|tr|Alev geciktirici kumaş üretimi
Fabrikamız otel ve hastaneler için alev geciktirici perde ve döşemelik kumaş üretmektedir. Ürünlerimiz TSE belgelidir. Geciktirici kimyasallar ve performans testleri hakkında bilgi almak için bize ulaşın.
==
hospital pt|pt|Acompanhantes em hospitais: seus direitos
Idosos e crianças internados têm direito a acompanhante em tempo integral. Os acompanhantes em hospitais públicos devem receber alimentação e um local para descanso. O hospital informa as regras de visita na recepção.
Em caso de dúvida, procure a ouvidoria do SUS.
==
telecom es|es|Planes prepagos en Colombia
Compara los planes prepagos en Colombia: datos, minutos y redes sociales. Los planes prepagos de las operadoras se recargan desde tres mil pesos. Elige el plan según tu consumo y conserva tu número con la portabilidad.
==
crack engineering|en|Repairing concrete walls with cracks
A wall with crack patterns near the window usually has settled. Hairline cracks in concrete can be patched with epoxy; wider cracks need a structural engineer. Our generator rental and scaffolding hire serve builders across the region.
Call us for a free survey. We repaired the cracked foundation of the town hall in 2014.
==
forex regulator|en|Warning: unauthorised online trading platforms
The authority warns consumers about online trading platforms that promise guaranteed returns on bitcoin and forex. Fraudsters ask for a minimum deposit, show fake profits and then refuse withdrawals. Recovery experts who contact victims are often the same criminals.
Check our register before you invest, and report scams to our helpline. Celebrities such as Elon Musk never endorse such schemes.
==
broker honest|en|Online brokerage accounts for long-term investors
Open a brokerage account with no minimum deposit and trade shares, funds and bonds. Our trading platform has research, charts and tax reports. Passive income from dividends can be reinvested automatically.
Investing involves risk, including loss of principal. We are a member of FINRA and SIPC. Automated trading tools and referral bonus terms are explained in the fee schedule.
==
sexual health|en|Erectile dysfunction: causes and treatment
Erectile dysfunction is common and can be treated. Your doctor may prescribe sildenafil (Viagra), tadalafil (Cialis), vardenafil (Levitra) or avanafil. Do not buy these pills online without prescription: counterfeit Viagra has been found to contain talc and paint.
Talk to your doctor about side effects, nitrates and heart disease. Lifestyle changes, counselling and vacuum pumps also help.
==
antidoping|en|Anabolic steroids: what athletes should know
Anabolic steroids such as nandrolone, stanozolol and trenbolone are banned in sport. Websites that offer steroids for sale often ship contaminated products. A positive test leads to a four-year ban.
Athletes can ask our medical team about supplements, therapeutic use exemptions and testing. SARMs are not approved medicines.
==
university essay centre|en|Writing centre: help with essays and dissertations
The writing centre helps students with essays, term papers, dissertations and literature reviews. Tutors do not write or edit your paper; they discuss structure, argument and references with you. Buying an essay from an essay writing service is academic misconduct and may lead to exclusion.
Book a 30-minute session online or come to a workshop on research paper writing and plagiarism.
==
news counterfeit|en|Customs seize 4,000 fake Rolex watches
Customs officers at the port seized 4,000 counterfeit watches, most of them fake Rolex and Omega models, along with replica handbags bearing Louis Vuitton and Gucci logos. The goods came from China and were worth 9 million dollars had they been genuine, officials said.
Two men were arrested. Investigators said the replica watches were to be sold on websites and at markets.
==
watch museum|en|Rolex and Omega: an exhibition of dive watches
The watch museum shows eighty dive watches, among them a 1954 Rolex Submariner, an Omega Seamaster and a Breitling. A faithful replica of the first pressure test bench can be operated by visitors. Children build a paper watch to take home.
Tickets cost 9 euros. The shop sells books, posters and straps.
==
adult history|en|Sex work in Victorian London: an exhibition
The exhibition looks at prostitution, brothels and the Contagious Diseases Acts in Victorian London. Photographs, letters and court records tell of women who worked in Haymarket and of reformers such as Josephine Butler. Some images contain nudity.
The curators spoke with sex worker organisations. Lectures on pornography and censorship take place in March.
==
ford escort|en|Ford Escort owners club
The club is for owners of the Ford Escort Mk1, Mk2 and RS2000. Escorts from all over the country met in July for our rally. We sell parts, organise track days and help with restoration.
Membership costs 25 pounds a year. Classifieds: Escort Mexico for sale, Escort van doors, gearbox.
==
dating honest|en|Silver Hearts: dating for people over 50
Silver Hearts has helped people over fifty find companionship since 2003. Write a profile, add photos and meet singles near you for coffee or a walk. Our moderators check every profile and remove adult content.
Read our safety tips: never send money, meet in public, tell a friend.
==
product key|en|Where do I find my Windows product key?
Your product key is on the sticker or in the confirmation e-mail. Enter the license key under Settings, Update, Activation. If the activation key is refused, the activation code may have been used on another computer; call support.
Never use a keygen or crack: cracked software often carries malware. Volume licenses are activated by a KMS server.
==
torrent linux|en|Download Debian with BitTorrent
Images can be downloaded with HTTP, jigdo or torrent. Use the torrent files to spare our mirrors. Verify the checksum and the signature of the full version before you burn it.
CD and DVD images for amd64, arm64 and i386 are listed below; the offline installer needs no network.
==
iptv telecom|en|Fibre TV: our IPTV packages
With our fibre connection you get IPTV in 4K, 120 channels, replay for seven days and multiroom. The IPTV subscription costs 9.90 a month with any internet plan. Set-top boxes are included.
Check availability at your address, or visit one of our shops.
==
marketing blog|en|Should you buy Instagram followers?
Many small firms ask us whether they should buy Instagram followers. Our answer is no: bought followers are bots, engagement falls and the platform may close the account. The same goes for those who buy backlinks.
Instead, post regularly, answer comments and work with local partners. We run workshops on social media for craftsmen.
==
addiction sv|sv|Stödlinjen för spelare och anhöriga
Har du problem med spel om pengar? Ring Stödlinjen gratis och anonymt. Många som hör av sig spelar på nätcasino, odds eller slots. På Spelpaus kan du stänga av dig från alla svenska casinon med licens.
Casino utan svensk licens omfattas inte av Spelpaus, och där är riskerna större, visar en studie från Folkhälsomyndigheten.
==
addiction de|de|Glücksspielsucht: Beratung und Hilfe
Die Beratungsstelle hilft Menschen, die an Spielautomaten, bei Sportwetten oder im Online Casino die Kontrolle verloren haben. Mit dem Sperrsystem OASIS können Sie sich bundesweit sperren lassen. Online Casinos ohne OASIS sind in Deutschland illegal.
Unsere Beratung ist kostenlos und vertraulich. Gruppen für Angehörige treffen sich dienstags.
==
news togel id|id|Polisi tangkap bandar togel di Semarang
Polisi menangkap seorang bandar togel yang menjual nomor togel Hongkong dan Singapore di Semarang. Tersangka mengaku memperoleh keuntungan dua juta rupiah per hari dari judi online. Kominfo telah memblokir ribuan situs slot dan judi bola.
Pelaku dijerat pasal 303 KUHP dengan ancaman sepuluh tahun penjara.
==
news zh|zh|警方破获特大网络赌博案
警方近日破获一起特大网络赌博案，抓获犯罪嫌疑人三十六名。该团伙搭建网上赌场，设置百家乐、六合彩、时时彩等项目，诱骗他人下注，涉案金额达八亿元。
民警提醒，网络赌博十赌九输，所谓注册送彩金都是骗局。案件正在进一步侦办中。
==
news th|th|ตำรวจทลายเว็บพนันออนไลน์
ตำรวจไซเบอร์บุกทลายเครือข่ายเว็บพนันออนไลน์ จับกุมผู้ต้องหาสิบสองราย ยึดเงินสดและรถหรู เว็บดังกล่าวเปิดให้เล่นบาคาร่า สล็อต และแทงบอล มีเงินหมุนเวียนกว่าร้อยล้านบาท
ผู้ต้องหาถูกแจ้งข้อหาตามกฎหมายการพนัน และส่งตัวให้ศาลพิจารณา
==
sport it|it|Pronostici e formazioni: la giornata di Serie A
Le probabili formazioni della ventesima giornata. L'Inter ospita il Napoli, la Juventus va a Bergamo. I nostri pronostici: pareggio a San Siro, vittoria del Milan a Lecce. In porta torna il titolare dopo l'infortunio.
Classifica, calendario e interviste ai tecnici nelle pagine interne. Biglietti in vendita da lunedì.
==
racecourse|en|Ascot week at Fairmeadow racecourse
Seven races each day, gates open at eleven. Bookmakers take bets at the rails and the Tote has windows in every stand. The jackpot race is the fourth; odds are shown on the big screen.
Dress code, parking, hospitality boxes and tickets. Under 18s enter free with an adult. Help with problem gambling: BeGambleAware.
==
math probability|en|The mathematics of roulette and blackjack
This course unit looks at probability with examples from roulette, blackjack, craps and slot machines. We compute the house edge, expected value and variance, and why the martingale fails. Card counting changes the odds in blackjack slightly.
Exercises: what is the expected loss per spin on a single-zero wheel? Solutions are due on Friday.
==
news bingo charity|es|Bingo solidario en el centro de mayores
El centro de mayores celebra el sábado un bingo solidario a beneficio del banco de alimentos. Los cartones cuestan dos euros y los premios los donan los comercios del barrio. Habrá chocolate, música en vivo y una rifa.
La asociación de vecinos invita también al concierto del coro.
==
otc ro|ro|Farmacia Sănătatea: medicamente fără rețetă
În farmacia noastră găsiți medicamente fără rețetă, vitamine, cosmetice și aparate medicale. Livrăm în toată țara în 24 de ore. Medicamentele cu rețetă se eliberează numai în farmacie, pe baza prescripției medicului.
==
film cs|cs|Natáčení filmu v Praze
V centru Prahy začíná natáčení historického filmu, točení potrvá do konce měsíce. Radnice upozorňuje řidiče na uzavírky. Studentům se dostanou role komparzistů, casting proběhne v sobotu.
Film přijde do kin na podzim.
==
bank da|da|Lån penge til bolig og bil
I vores sparekasse kan du låne penge til bolig, bil og uddannelse. Tal med en rådgiver om lån uden sikkerhed og om din økonomi. ÅOP og løbetid fremgår af låneberegneren.
Sparekassen blev grundlagt i 1871.
"""

NEAR: tuple[Honest, ...] = tuple(_read(_RAW))
