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
==
casino affiliate news trade|en|iGaming industry report 2022
The global online gambling market grew by eleven percent, according to our annual industry report. Operators such as bet365, Flutter and Entain expanded in North America, while Evolution Gaming, Playtech and NetEnt supplied live casino and slot games. The report covers sports betting, online casino, poker and bingo in forty countries.
Chapters: regulation, taxation, responsible gaming, payment providers, mobile betting, market shares. Price 1,200 euros. Analysts are available for interviews.
==
lottery official es|es|Resultados de la lotería nacional
Consulta los resultados del sorteo de la lotería nacional, la primitiva y el bonoloto. Comprueba tu décimo y descubre los premios. Los beneficios se destinan a obras sociales.
Puntos de venta autorizados, calendario de sorteos y normas. El juego puede crear adicción; solo para mayores de edad.
==
racing tips newspaper|en|Saturday's racing: tips for Cheltenham
Our racing correspondent picks the winners for Saturday's card at Cheltenham. The going is good to soft. In the Gold Cup the favourite is 3-1 with most bookmakers, but the each-way odds on the Irish mare appeal.
Race times, runners and riders, results and weather. The jackpot stands at 40,000 pounds.
==
hotel macau zh|zh|澳门威尼斯人酒店住宿攻略
澳门威尼斯人酒店位于路氹金光大道，设有三千间客房、购物中心和大型剧院。酒店内有贡多拉游船和室内运河，适合家庭旅游。娱乐场仅限二十一岁以上人士进入。
交通：从港珠澳大桥口岸可乘坐免费穿梭巴士。附近景点包括大三巴牌坊和官也街美食。
==
law gambling ko|ko|사행산업 규제에 관한 법률 안내
국회는 온라인 도박과 불법 스포츠토토를 근절하기 위한 법안을 통과시켰다. 경찰은 지난해 카지노사이트와 토토사이트 운영자 삼백 명을 검거했다. 정부는 도박중독 예방 상담을 확대할 계획이다.
전문가들은 청소년의 온라인 바카라 접근을 막아야 한다고 지적했다.
==
sex education de|de|Sexualaufklärung: Fragen und Antworten
Wie funktioniert Verhütung? Was ist eine Erektion, was ein Orgasmus? Wir beantworten Fragen von Jugendlichen zu Sexualität, Pornografie, Selbstbefriedigung und Beziehung. Unsere Beratung ist kostenlos und vertraulich.
Material für Schulen, Workshops und Elternabende können Sie hier bestellen.
==
sti clinic fr|fr|Centre de santé sexuelle
Le centre propose dépistage du VIH, contraception, vaccination contre le HPV et consultations de sexologie. Les troubles de l'érection peuvent être traités; le médecin prescrit parfois du sildénafil ou du tadalafil. Le viagra acheté sur internet sans ordonnance est dangereux.
Horaires, accès, équipe médicale et prise de rendez-vous.
==
erotic art museum|en|Museum of Erotic Art
The museum shows erotic art from Japanese shunga prints to Greek vases and Indian sculpture. The collection of 2,000 nude drawings includes works by Klimt and Schiele. Film evenings look at the history of pornography and the sexual revolution.
Visitors under 18 are admitted with a parent. Tickets, opening hours and the museum shop.
==
breast cancer|en|Breast and prostate cancer support group
Our group meets on Mondays. Treatment for prostate cancer may cause erectile dysfunction; vacuum pumps, Viagra and counselling can help. Breast cancer survivors talk about prosthetic breasts, sex after surgery and hair loss.
The hospital lends wigs. Donations keep this charity going.
==
med info tramadol|en|Tramadol: uses, dose and side effects
Tramadol is a strong painkiller. It is used to treat moderate to severe pain, for example after an operation. You can only get tramadol on prescription. It comes as tablets, capsules and drops.
It is possible to become addicted to tramadol. Do not stop taking it suddenly. Common side effects are feeling sick and dizzy. Do not drive or drink alcohol.
==
vet pharmacy|en|Oakfield veterinary pharmacy
Order pet medicine online with your vet's written prescription: flea treatment, wormers, insulin and pain relief such as tramadol or gabapentin. Delivery is free over 29 pounds.
We are registered with the Veterinary Medicines Directorate. Ask our pharmacist, return policy, opening hours.
==
debt advice uk|en|Payday loans: what to do if you can't pay
If you cannot repay a payday loan, tell the lender and ask for a repayment plan. Cancel the continuous payment authority with your bank. Loans for bad credit and instant cash loans look easy but interest is high.
Call our free debt advice line. We are a charity and never charge. Other options: credit unions, budgeting loans, council welfare schemes.
==
bank loan ru|ru|Потребительский кредит в Сбережениях
Оформите кредит наличными на любые цели: ремонт, автомобиль, образование. Ставка от 12,9 процента годовых, срок до пяти лет. Заявку можно подать онлайн и получить деньги на карту в день обращения.
Необходимые документы: паспорт и справка о доходах. Лицензия Банка России. Отделения и банкоматы на карте.
==
bank loan pl|pl|Kredyt gotówkowy - Bank Spółdzielczy
Kredyt gotówkowy do 50 tysięcy złotych na dowolny cel. RRSO 12,4%. Wniosek złożysz w oddziale lub przez internet, decyzję otrzymasz tego samego dnia. Szybka pożyczka dla rolników i emerytów.
Bank sprawdza historię w BIK. Godziny otwarcia placówek i bankomaty.
==
watch dealer|en|Pre-owned Rolex, Omega and Cartier watches
We buy and sell pre-owned watches. Every Rolex, Omega, Cartier and Patek Philippe is authenticated by our watchmakers and comes with a two-year warranty. How to spot a fake Rolex: read our guide.
Visit our shop in Hatton Garden or ship worldwide insured. Prices include VAT.
==
outlet mall|en|Riverside Designer Outlet
Over ninety stores with up to 60 percent off: Nike, Gucci, Michael Kors, Coach, Ralph Lauren and Levi's outlet. Free parking, cafes and a playground. Open daily from ten to eight.
This week: Nike factory store sale, Coach outlet new arrivals, Ray-Ban sunglasses offers. Directions by train and car.
==
football shirts|en|Club shop: replica shirts and training wear
The new home replica shirt is in stock. Replica shirts from 45 pounds, kids' kits from 35. Retro jerseys, scarves, mugs and gift cards. Free delivery for members.
The club shop at the stadium opens on match days three hours before kick-off.
==
academic ghost history|de|Ghostwriter an Universitäten: eine Studie
Die Studie der Universität Bochum befragt Studierende zu Ghostwriting. Jeder zwanzigste hat eine Hausarbeit oder Bachelorarbeit schreiben lassen. Plagiate und gekaufte Masterarbeiten führen zur Exmatrikulation, sagte der Rektor.
Die Forscher fordern mündliche Prüfungen.
==
tutor service|en|Maths and English tutoring in Leeds
Our tutors help with homework, GCSE coursework, essays and exam preparation. Lessons take place at home or online. We do not write essays for students.
From 25 pounds an hour. All tutors are DBS checked. Book a free trial lesson.
==
bitcoin museum|en|What is bitcoin? A short introduction
Bitcoin is a digital currency invented in 2008. Miners secure the network; transactions are recorded in a blockchain. Prices fluctuate: in 2013 a bitcoin doubled within a month. You may lose all the money you invest.
Glossary: wallet, private key, mining, exchange. Beware of scams that promise to double your bitcoin.
==
mining company|en|Cloud computing and GPU hosting
We host GPU servers for rendering, machine learning and mining. Data centres in Iceland and Sweden run on renewable energy. Minimum contract one month, referral bonus for resellers.
Status page, documentation, API and support.
==
fintech investor|en|Fund factsheet: balanced income fund
The fund aims for long-term growth and passive income from bonds and shares. Minimum investment 500 euros, ongoing charge 0.4 percent. Past performance does not guarantee returns; capital is at risk.
Investment plans from 25 euros a month. ROI figures are net of fees. Regulated by the central bank.
==
open source cracks|en|Reverse engineering crackmes for beginners
This workshop teaches reverse engineering with crackmes. We write a small keygen for a toy program, read assembly and use a debugger. Never distribute cracked software. All tools are open source.
Schedule: registers, calling conventions, patching a jump, serial number checks.
==
movie cinema tr|tr|Vizyondaki filmler - Sinema Şehir
Bu hafta vizyona giren filmler, seanslar ve bilet fiyatları. Türkçe dublaj ve altyazılı seçenekler. Fragman izle, koltuk seç, biletini online al.
Çocuk filmleri hafta sonu saat on birde. Sinemamız alışveriş merkezinin üçüncü katındadır.
==
broadcaster id|id|Nonton streaming gratis TV nasional
Saksikan siaran langsung TV nasional dan nonton ulang program favorit Anda secara gratis. Jadwal acara, berita, olahraga dan sinetron. Unduh aplikasi resmi kami.
Hak cipta dilindungi undang-undang. Hubungi redaksi untuk kerja sama iklan.
==
youth sv|sv|Ungdomsmottagningen: sex och relationer
Hos oss får du prata om sex, kroppen och relationer. Vi delar ut kondomer och p-piller och testar för klamydia. Porr ger ofta en skev bild av sex. Erektionsproblem är vanliga, och det finns läkemedel som kräver recept.
Boka tid på nätet eller ring. Besöken är gratis.
==
dating es|es|Amistad y pareja para mayores de 40
Conoce gente de tu ciudad con tus mismas aficiones. Excursiones, cenas y bailes para solteros. Sin contenidos para adultos: moderamos todos los perfiles.
La cuota anual es de 60 euros. Próxima excursión: Cuenca, el 14 de mayo.
==
massage studio|de|Massagepraxis Sonnenschein
Klassische Massage, Fußreflexzonenmassage, Thai-Massage und Lymphdrainage. Wir bieten keine erotischen Massagen an. Termine nach Vereinbarung, Gutscheine erhältlich.
Unsere Therapeutinnen sind staatlich geprüft. Anfahrt und Preise.
==
thai travel|th|เที่ยวมาเก๊าด้วยตัวเอง
รีวิวเที่ยวมาเก๊าสามวันสองคืน เดินเล่นเซนาโดสแควร์ ชมโบสถ์เซนต์พอล และพักโรงแรมเวเนเชียน ภายในโรงแรมมีคาสิโน ร้านอาหาร และห้างสรรพสินค้า ค่าตั๋วเครื่องบินไปกลับประมาณหกพันบาท
==
vn news|vi|Công an triệt phá đường dây đánh bạc trực tuyến
Công an thành phố vừa triệt phá đường dây cá độ bóng đá và đánh bạc trực tuyến, bắt giữ mười lăm đối tượng. Các bị can lập trang web nhà cái, tổ chức lô đề, tài xỉu và nổ hũ với số tiền giao dịch trên một nghìn tỷ đồng.
Cơ quan điều tra cảnh báo người dân không tham gia game bài đổi thưởng.
==
ar health|ar|ضعف الانتصاب: الأسباب والعلاج
ضعف الانتصاب مشكلة شائعة لها أسباب نفسية وعضوية. قد يصف الطبيب أدوية مثل الفياجرا أو السياليس بعد الفحص. تشير دراسة إلى أن التدخين والسكري من أهم الأسباب.
لا تشتر الأدوية من الإنترنت بدون وصفة طبية واستشر الطبيب أولا.
==
ja addiction|ja|ギャンブル依存症の相談窓口
オンラインカジノやパチンコ、競馬などのギャンブルがやめられない方とご家族の相談を受け付けています。オンラインカジノは日本国内から利用すると違法です。相談は無料で秘密は守られます。
専門の医師やカウンセラーが対応します。電話相談は平日の九時から十七時までです。
==
ja rental loan|ja|奨学金と教育ローンのご案内
大学では経済的に困難な学生のために奨学金と授業料減免の制度を設けています。消費者金融のキャッシングや審査なしをうたう業者には注意してください。闇金の被害に遭ったら消費生活センターへ相談してください。
==
hr news|hr|Kladionice u Hrvatskoj: novi zakon
Sabor je raspravljao o zakonu o igrama na sreću. Kladionice i online casino priređivači morat će ograničiti oglašavanje, rekao je ministar. Udruge upozoravaju na ovisnost mladih o klađenju.
Prema istraživanju, svaki treći učenik kladi se barem jednom mjesečno.
==
da rofus|da|Udeluk dig selv med ROFUS
Med Spillemyndighedens register ROFUS kan du udelukke dig fra alle online casinoer og væddemål i Danmark. Udelukkelsen gælder 24 timer, en måned, tre måneder, seks måneder eller endeligt. Casino uden dansk licens er ulovligt.
Få rådgivning hos StopSpillet, gratis og anonymt. Ludomani kan behandles.
==
fr arjel|fr|Jeux d'argent en ligne: opérateurs agréés
L'autorité publie la liste des opérateurs agréés de paris sportifs, paris hippiques et poker en ligne. Les casinos en ligne restent interdits en France. Les joueurs peuvent demander une interdiction volontaire de jeux.
Consultez les décisions de l'autorité, le rapport annuel et les statistiques du marché.
"""

NEAR: tuple[Honest, ...] = tuple(_read(_RAW))
