"""Honest pages on the subjects that spam sells, written for the tests: none may be called spam or parked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Honest:
    """One page: a name for the report, its language, title and paragraphs."""

    name: str
    language: str
    title: str
    text: str

    def html(self) -> bytes:
        """The page as a small site would serve it."""
        paragraphs = "".join(f"<p>{part}</p>" for part in self.text.strip().split("\n"))
        return (
            f'<!DOCTYPE html><html lang="{self.language}"><head><meta charset="utf-8"><title>{self.title}</title></head>'
            '<body><nav><a href="/">Home</a> <a href="/about">About</a> <a href="/contact">Contact</a></nav>'
            f"<h1>{self.title}</h1>{paragraphs}<footer>© 2016 <a href='/imprint'>Imprint</a></footer></body></html>"
        ).encode()


_RAW = """
news gambling law|en|State senate weighs bill to legalize online casinos
Lawmakers in the state senate will vote this week on a bill that would legalize online casino gambling and tax operators at 20 percent. Supporters say online casinos already take in millions from residents, and that regulation would bring tax revenue for schools.
"People are gambling on their phones today," said Senator Maria Lopez, the sponsor of the bill. "The question is whether the state protects them." Opponents, among them the owners of two tribal casinos, told reporters that internet gambling would cannibalize slot machines and table games in existing venues.
A study commissioned by the legislature found that sports betting, legal since 2019, produced less revenue than forecast. Researchers warned that problem gambling calls to the state helpline rose by a third. The governor has not said whether he would sign the measure.
==
news sportsbooks|en|Sports betting companies report strong quarter
Shares of three bookmakers rose on Tuesday after the companies reported revenue ahead of analysts' expectations. Sports betting volume grew 12 percent from a year earlier, helped by the football season, according to the companies' filings.
The largest sportsbook operator said that customer acquisition costs fell. Analysts at a New York bank said online betting is approaching saturation in New Jersey, while free bets and promotional credits have been cut back. Odds makers expect regulators to limit advertising.
The company's chief executive told investors that online casino products would launch in two further states if legislation passes. The stock closed up four percent.
==
gambling help|en|Help for problem gambling
If gambling is no longer fun, you are not alone. Our helpline is free and confidential, and our counsellors speak eleven languages. Many people who call us play online slots, poker or roulette late at night, chase their losses and hide bets from their families.
Gambling addiction can be treated. We offer individual counselling, group meetings of Gamblers Anonymous, and advice for partners. You can exclude yourself from every licensed online casino and betting site with one form.
Warning signs: you bet more than you planned, you borrow money to gamble, you think about the casino all day, you tried to stop and could not. Call us today.
==
casino hotel|en|Riverside Casino Hotel and Spa
Riverside is a resort of 320 rooms on the banks of the river with a full service spa, two pools and an eighteen hole golf course. Our casino floor has 900 slot machines, forty table games with blackjack, roulette, craps and baccarat, and a poker room that is open all weekend.
Dine at the steakhouse or at the buffet, and enjoy live concerts in our event center on Friday nights. Meeting rooms for up to 500 guests are available for conferences and weddings. The jackpot bar serves craft beer until two in the morning.
Guests must be 21 to enter the gaming area. Free parking, shuttle from the airport every hour. Book your room by telephone or by e-mail.
==
roulette history|en|Roulette - a history of the game
Roulette is a casino game named after the French word meaning little wheel. The first form of roulette was devised in eighteenth century France. Many historians believe Blaise Pascal introduced a primitive form of roulette in the seventeenth century in his search for a perpetual motion machine.
Players may choose to place bets on a single number, various groupings of numbers, the colors red or black, or whether the number is odd or even. To determine the winning number, a croupier spins a wheel in one direction and a ball in the other.
In 1843 the brothers Blanc introduced the single zero wheel in Homburg to compete against other casinos. When the German government abolished gambling in the 1860s, the family moved to Monte Carlo, where they established a gambling mecca for the elite of Europe.
==
bingo night|en|St Mary's parish: bingo night on Saturday
Join us for bingo night in the parish hall on Saturday at seven. Doors open at six, the first game starts at seven sharp. Cards are one pound each, the jackpot is a hamper given by Miller's butchers. Tea and cakes by the mothers' union.
All proceeds go to the roof fund. Last month we raised 412 pounds. Volunteers to help with tables are welcome from five o'clock. The raffle prize is a weekend for two in Whitby.
==
appointment slots|en|Book your slot online: vaccination clinic
Free slots are available every morning between nine and twelve. Book your slot online or call the surgery. Slots that are cancelled are released at eight in the evening.
Please bring your card and wear loose clothing. If you miss your slot twice you will have to book by phone. The clinic has two entrances, the ramp is on Mill Lane.
==
computer slots|en|Mainboard manual: expansion slots and jumpers
The board has two PCI slots, one AGP slot and three memory slots. Insert the graphics card into the AGP slot until it clicks. Do not force the card. The jumpers next to the slots set the clock multiplier of the processor.
The BIOS setup is entered with the delete key. Use the autodetect function for the hard disks. The serial port is on the back panel, the second serial port needs a bracket. The license key of the bundled software is printed on the CD sleeve.
==
casino royale|en|Film review: Casino Royale
The new Bond begins in black and white and ends in Venice, and between the two lies the best poker game the cinema has seen in years. At the table of the Casino Royale in Montenegro, Le Chiffre must win back the money of his clients; Bond must stop him. The stakes rise from bet to bet.
Daniel Craig plays the agent as a brute who learns. The director lets scenes breathe, the soundtrack quotes the old theme only at the very end. The jackpot, of course, is Eva Green.
==
lottery|de|Lotto: Jackpot steigt auf 20 Millionen Euro
Auch bei der Ziehung am Samstag hat niemand die sechs Richtigen getippt. Der Jackpot steigt damit auf rund 20 Millionen Euro. Die Lottogesellschaft weist darauf hin, dass Glücksspiel süchtig machen kann; Hilfe bietet die Beratungsstelle der Länder.
Nach dem neuen Glücksspielstaatsvertrag dürfen Online-Casinos nur noch mit Lizenz werben. Verbraucherschützer kritisieren, dass die Kontrolle zu schwach sei. Spielsucht betrifft nach Schätzungen mehr als 400.000 Menschen.
==
regulator ru|ru|Госдума приняла законопроект о блокировке онлайн-казино
Государственная дума приняла в третьем чтении законопроект, который обязывает банки блокировать переводы в адрес нелегальных онлайн-казино. По словам авторов, ежегодный оборот незаконных азартных игр превышает сто миллиардов рублей.
Роскомнадзор сообщил, что за год были заблокированы тысячи сайтов. Эксперты отмечают, что игровая зависимость остается серьезной проблемой, и предлагают создать единый реестр граждан, ограничивших себя в участии в азартных играх.
Полиция напоминает, что организация азартных игр без лицензии наказывается лишением свободы. Закон вступит в силу первого января.
==
police tr|tr|Yasa dışı bahis operasyonu: 34 gözaltı
Siber suçlarla mücadele ekipleri, yasa dışı bahis oynatan bir şebekeye yönelik altı ilde operasyon düzenledi. Operasyonda 34 kişi gözaltına alındı, çok sayıda bilgisayar ve telefona el konuldu.
Emniyetten yapılan açıklamada, şüphelilerin yurt dışı bağlantılı bahis siteleri üzerinden para transferi yaptığı belirtildi. Mahkeme on kişinin tutuklanmasına karar verdi. Kumar bağımlılığı ile mücadele derneği ailelere destek veriyor.
==
poker club|fr|Club de poker de Nantes: tournoi amical
Le club organise chaque mardi un tournoi amical de poker sans argent, ouvert aux débutants. Les règles sont expliquées en début de soirée. L'inscription est gratuite pour les adhérents de l'association.
Rendez-vous à la maison de quartier à vingt heures. Le vainqueur de la saison participera à la coupe régionale des clubs. Le comité rappelle que les jeux d'argent sont interdits dans la salle.
==
casino barriere|fr|La ville veut rénover le casino municipal
Le conseil municipal a voté hier la rénovation du casino, bâtiment classé de 1912. Les travaux de la façade coûteront deux millions d'euros. La salle de spectacle rouvrira au printemps; les machines à sous resteront accessibles pendant le chantier.
Selon le maire, le projet de loi sur les casinos en ligne inquiète les communes, qui craignent une baisse de leurs recettes. L'opposition demande une étude.
==
apuestas news|es|El gobierno limita la publicidad de las casas de apuestas
El consejo de ministros aprobó ayer el proyecto de ley que limita la publicidad de las casas de apuestas a la madrugada. Los clubes de fútbol no podrán llevar patrocinios de apuestas deportivas en la camiseta desde la próxima temporada.
Las asociaciones de afectados por la ludopatía celebran la medida. Según el ministerio, cuatro de cada diez jóvenes tratados empezaron con apuestas online. El sector advierte de que el juego ilegal crecerá.
==
viagra monograph|en|Sildenafil (Viagra): uses, dosage, side effects
Sildenafil, sold under the brand name Viagra among others, is a medication used to treat erectile dysfunction and pulmonary arterial hypertension. It is taken by mouth as tablets of 25 mg, 50 mg or 100 mg. Talk to your doctor before taking it.
Common side effects include headache, heartburn and flushed skin. Caution is advised in those with cardiovascular disease. Rare but serious side effects include a prolonged erection that can lead to damage to the penis, vision problems and hearing loss.
Sildenafil must not be taken with nitrates. Drug interactions with antifungal medicines are known. Generic sildenafil has been available since 2013. Clinical trials showed improvement in 70 percent of patients. References: 1. FDA label, 2. Pubmed.
==
fake viagra news|en|Customs seize fake Viagra worth two million
Customs officers at the port have seized 300,000 counterfeit Viagra pills worth two million dollars. The pills were hidden in boxes of toys. According to investigators, gangs sell them through illegal online pharmacies that ask for no prescription.
"Buying medicines from an unlicensed internet pharmacy is a gamble with your health," a spokeswoman said. Laboratory tests found paint and blood pressure medicine in the tablets. Police arrested three men.
==
pharmacy directory|en|Find a licensed online pharmacy
This register lists every licensed pharmacy that is allowed to sell medicines online in the country. Check that the online pharmacy you use shows our logo and that it links to its entry here. A licensed pharmacy asks for a valid prescription and has a pharmacist you can talk to.
Websites that sell prescription drugs without a prescription are illegal and may deliver counterfeit medicine. Report them with the form below. The board of pharmacy publishes warnings every month.
==
pharmacy chain|en|Green Cross Pharmacy - order your repeat prescriptions online
Order your repeat prescriptions online and collect them at one of our 24 branches, or have them delivered to your door. Our pharmacists give advice on medication, blood pressure and travel vaccinations.
Opening hours are from eight to seven. We stock vitamins, baby care, cosmetics and generic medicines. Flu jabs are available without appointment. The dispensary at Hill Street is open on Sundays.
==
ED clinic de|de|Erektionsstörungen: Ursachen und Behandlung
Erektionsstörungen sind häufig und lassen sich in den meisten Fällen gut behandeln. In unserer urologischen Praxis klären wir zuerst die Ursache: Durchblutung, Hormone, Medikamente oder seelische Belastung.
Tabletten wie Sildenafil oder Tadalafil sind verschreibungspflichtig; über Nebenwirkungen informieren Arzt oder Apotheker. Vor Käufen im Internet warnen wir, denn Fälschungen sind verbreitet. Vereinbaren Sie einen Termin in der Sprechstunde.
==
trial|en|Tadalafil in benign prostatic hyperplasia: a randomized trial
Background: tadalafil is a phosphodiesterase inhibitor. Methods: in this randomized, double blind, placebo controlled clinical trial 606 patients received tadalafil 5 mg or placebo once daily for 12 weeks. The primary endpoint was the symptom score.
Results: symptom scores improved by 4.8 points with tadalafil and 2.2 points with placebo. Adverse reactions were dyspepsia, back pain and headache. Conclusion: tadalafil was well tolerated. Conflict of interest: two authors are employees of the sponsor.
==
rehab|en|Oxycodone and tramadol addiction: treatment that works
Opioid painkillers such as oxycodone, hydrocodone and tramadol are prescribed after surgery, and some patients become dependent. Our rehabilitation center has treated prescription drug addiction for thirty years. Detox is supervised by physicians day and night.
Treatment begins with an assessment. Withdrawal symptoms are eased with medication; therapy addresses the causes. Family members are part of the programme. Most insurance plans are accepted. An overdose is an emergency: call an ambulance.
==
doping|en|Sprinter banned for steroids
The sprinter was banned for four years on Monday after testing positive for an anabolic steroid, the athletics federation said. The sample taken in March contained stanozolol. His lawyer announced an appeal and spoke of contaminated supplements.
Testosterone and growth hormone are the substances most often found in athletics, according to the anti doping agency. The ban costs him the championship and the medal of last summer.
==
payday warning|en|What is a payday loan, and why you should think twice
A payday loan is a short term loan for a small amount that you repay on your next payday. Payday lenders charge fees that amount to an annual percentage rate of 400 percent or more. Consumer protection groups speak of a debt trap: four in five payday loans are rolled over within two weeks.
If you have bad credit there are alternatives to payday loans. Ask a credit union for a payday alternative loan, talk to your creditors, or call a nonprofit debt advice line. Lawmakers in several states have passed an interest rate cap.
The Consumer Financial Protection Bureau takes complaints about payday lenders and title loans. Never give your bank account number to a lender that is not licensed in your state.
==
bank loans|en|Personal loans at First Valley Bank
A personal loan lets you borrow for a car, a kitchen or a wedding at a fixed interest rate. You can apply online or at a branch; our loan officers look at your income and your credit score. Repayment runs from 12 to 72 months.
Representative example: a loan of 10,000 over 60 months with an APR of 6.9 percent. Early repayment is free of charge. First Valley Bank is a member of the deposit insurance fund. Equal housing lender.
==
schuldnerberatung|de|Schuldnerberatung: Vorsicht bei Krediten ohne Schufa
Immer wieder kommen Menschen in unsere Beratungsstelle, die auf Werbung für Kredite ohne Schufa hereingefallen sind. Statt Geld bekamen sie teure Verträge und Vorkosten. Die Verbraucherzentrale rät: unterschreiben Sie nichts am Telefon.
Unsere Schuldnerberatung ist kostenlos. Bringen Sie alle Briefe der Gläubiger mit. Gemeinsam stellen wir einen Haushaltsplan auf und verhandeln über Raten. Termine vergeben wir telefonisch.
==
chwilowki warning|pl|Rzecznik ostrzega przed chwilówkami
Rzecznik konsumentów ostrzega przed ofertami szybkich pożyczek w internecie. Koszt chwilówki może przekroczyć pożyczoną kwotę w kilka miesięcy. UOKiK wszczął postępowanie wobec trzech firm pożyczkowych.
Zanim podpiszesz umowę, sprawdź oprocentowanie i całkowity koszt. Bezpłatnej pomocy udzielają miejskie punkty poradnictwa. Ustawa ogranicza koszty pozaodsetkowe kredytów konsumenckich.
==
ford escort|en|Ford Escort for sale - 1996, one owner
My father's Ford Escort is for sale: first registered in 1996, 1.6 litre engine, 84,000 miles, one owner, full service history. The Escort has new tyres and a new exhaust. The paint has a few scratches, the interior is clean.
Our dealership has sold Escorts since 1971, and we keep spare parts for the Escort, the Capri and the Sierra. Come for a test drive any day but Sunday. Price 900 or best offer.
==
security escort|en|Escort services for heavy transport
We provide escort services for abnormal loads in the north west: escort vehicles with trained drivers, route surveys, police liaison and permits. Our escorts accompany wide loads day and night.
The fleet has nine escort vehicles with light bars and radios. Routes are surveyed before each transport for bridges and cables. Ask for a quote by telephone.
==
life drawing|en|Life drawing: nude studies from the nineteenth century
The gallery shows forty nude studies by students of the academy, most of them drawn from the model between 1860 and 1890. Naked bodies were the core of the curriculum: anatomy first, then the antique, then life.
The exhibition places the drawings beside paintings in the museum's collection. Catalogue 24 euros. Adults 8 euros, children free. Life drawing classes for adults are held in the studio on Thursdays.
==
sex education|en|Sexual health and contraception for young people
Our clinic gives free advice on contraception, pregnancy tests, and testing for HIV and other infections. You do not need to be over 16 and we will not tell your parents. Condoms are free.
Sex is a subject many find hard to talk about. Our nurses answer questions on masturbation, orgasm, consent and sexual orientation in school workshops. Victims of sexual abuse find help at any hour under the number below.
==
porn law|en|Age checks for porn sites to become law
Porn sites will have to verify the age of visitors from next spring under legislation passed on Thursday. Sites such as Pornhub may be fined or blocked. Campaigners for privacy said the law would drive teenagers to the darker corners of the web.
A study by researchers at the university found that half of 14 year olds had seen pornography. The minister told parliament that sex education would be extended. Two pornography companies have taken the regulator to court.
==
massage|en|Massage therapy in the old town
Annette Vogel has been a licensed massage therapist since 2003. She offers Swedish massage, deep tissue massage, lymph drainage and massage for pregnant women. A session lasts 30, 60 or 90 minutes.
Gift vouchers are available. Please cancel at least a day ahead. The practice is on the second floor; there is a lift. Health insurers refund part of the price with a prescription.
==
trafficking|en|Three convicted of trafficking women for escort agency
Three men were convicted of trafficking on Friday after a court heard how women were lured with promises of work and forced into prostitution in flats across the city. The escort agency advertised on adult websites, prosecutors said.
Police found the victims during raids in May. The judge spoke of ruthless exploitation. A charity that supports survivors said many victims never report to the police.
==
lingerie shop|de|Dessous und Nachtwäsche - Maison Claire
Seit 1989 führen wir Dessous, Bademode und Nachtwäsche der großen Marken. In unserem Geschäft in der Altstadt beraten wir Sie in Ruhe und messen Ihre Größe. Auch nach Brustoperationen finden Sie bei uns passende Wäsche.
Unser Onlineshop liefert in drei Tagen. Geschenkgutscheine gibt es ab 20 Euro. Samstags haben wir bis 18 Uhr geöffnet.
==
outlet village|en|Kingsbridge Outlet Village: stores and opening hours
Kingsbridge Outlet Village has 94 stores, from the Nike outlet and the Adidas outlet to Michael Kors, Ralph Lauren and Lindt. Prices are up to 60 percent below the recommended retail price, all year round.
Open daily from ten to eight. Parking for 2,000 cars is free, the bus from the station runs every half hour. The playground and the food court are next to entrance B. Gift cards are sold at the information desk.
==
rolex dealer|en|Brunner Jewellers, authorised Rolex dealer since 1954
Brunner is proud to be part of the worldwide network of official Rolex retailers. Our watchmakers service Rolex, Omega and Tudor watches in the workshop above the store. Every watch comes with a guarantee card.
How to spot a fake: buy only from an authorised dealer. Visit us in Market Street by appointment. We also design engagement rings.
==
ship replica|en|Replica of the Mayflower sails again
A full scale replica of the Mayflower left the harbor on Sunday after a restoration of three years. The replica was built in 1957 in Devon from English oak, with hand sewn sails. Visitors may go on board at the museum's pier from April.
Museum staff in costume explain life aboard. School groups book ahead. The shop sells model kits and replicas of period coins.
==
writing center|en|University writing center: help with essays
The writing center helps students at every stage of an essay, from the first outline to the bibliography. Tutors read your draft with you; they do not write or correct it for you. Book a session of 45 minutes.
Workshops this term: thesis statements, citing in APA style, dissertation structure, avoiding plagiarism. Academic integrity is everyone's concern: buying an essay is misconduct and leads to exclusion.
==
essay mills|en|Ministers plan to ban essay mills
Essay mills that write assignments for students are to be banned under legislation announced today. The universities minister said companies that offer to write essays for money undermine honest students. Contract cheating has grown during the pandemic, according to a study.
One in seven recent graduates may have paid someone to do an assignment, researchers found. Lecturers welcomed the plan. The university union asked for more time with students.
==
bitcoin news|en|Bitcoin falls below 30,000 dollars
Bitcoin fell below 30,000 dollars on Wednesday for the first time in a month as investors sold cryptocurrencies after a rise in interest rates. Ethereum lost seven percent. Analysts said that mining companies sold coins to cover costs.
The regulator is examining a crypto lending platform that promised passive income. In London, shares of a blockchain fund dropped. Trading volumes were high across exchanges.
==
binary options warning|en|Regulator warns of binary options fraud
The regulator received 2,600 complaints about binary options last year. Fraudsters promise quick returns and pressure investors by telephone; withdrawals are refused. The sale of binary options to consumers has been banned since 2019.
If a trading platform guarantees profit it is a scam. Check the register before you invest, and report a firm to us. Victims should not pay a recovery service that calls them later.
==
open source download|en|Download the free editor, version 4.2
The editor is free software under the GNU General Public License. Download the installer for Windows, the disk image for macOS or the source code. There is no license key and no activation: it is free for everyone.
Release notes: faster search, spell checker for nine languages, fixed crash when a file is renamed. Older versions are in the archive. Torrent files for the installers are provided by volunteers. Report bugs on the tracker.
==
product key help|en|Where do I find my product key?
Your product key is on the label of the box or in the e-mail you received when you bought the software. Enter the product key on the registration page to activate your copy. An activation key can be used on two computers.
If the activation fails, check that you typed the serial number correctly. You can deactivate an old computer from your account. Our support team answers on weekdays. We never send activation codes by telephone.
==
concrete cracks|en|Repairing cracks in concrete walls
A crack in a concrete wall is not always serious. Hairline cracks come from shrinkage; a crack that grows needs an engineer. Clean the crack with a brush, fill it with mortar and keep it damp for three days. Patch larger areas with repair mortar.
==
japanese shop|ja|手作り味噌の山田屋 公式通販
山田屋は明治三十年創業の味噌蔵です。国産大豆と天然塩だけを使い、二年以上かけて熟成させています。五千円以上のお買い上げで送料無料です。
人気の詰め合わせはお歳暮にも最適です。蔵の見学は毎週土曜日に行っています。ご予約はお電話でお願いいたします。お支払いは代金引換と銀行振込がご利用いただけます。
==
japanese gambling news|ja|カジノ法案、参院で審議入り
統合型リゾート施設の整備を進める法案が十日、参議院で審議入りした。野党はギャンブル依存症への対策が不十分だと批判している。政府は入場回数の制限などを盛り込んだと説明した。
パチンコや競馬を含む依存症の患者は推計で七十万人に上るとされる。警察庁は違法なオンラインカジノの摘発を強化する方針だ。
==
chinese lottery crime|zh|警方破获特大网络赌博案
警方日前通报，经过三个月侦查，成功破获一起特大跨境网络赌博案，抓获犯罪嫌疑人四十六名。该团伙通过境外服务器搭建赌博网站，以彩票和棋牌游戏为名吸引会员投注。
法院将择日开庭审理此案。警方提醒市民，参与网络赌博属于违法行为，高额返利都是骗局。如发现线索请拨打举报电话。
==
korean clinic|ko|비뇨기과 전문의가 알려주는 전립선 건강
전립선 비대증은 중년 남성에게 흔한 질환입니다. 소변 줄기가 약해지거나 자주 화장실에 가게 되면 전문의의 진료를 받아야 합니다. 약물 치료와 수술 치료가 있으며 환자의 상태에 따라 결정합니다.
발기부전 약은 반드시 의사의 처방을 받아 복용해야 합니다. 본원은 예약제로 운영하며 토요일은 오후 한 시까지 진료합니다.
==
thai temple|th|งานวัดประจำปีและตลาดนัดชุมชน
งานวัดประจำปีจะจัดขึ้นในวันที่ห้าถึงเก้าธันวาคม มีการแสดงดนตรีพื้นบ้าน ตลาดนัดชุมชน และการออกร้านของนักเรียน เปิดให้เข้าชมฟรีทุกวัน
รายได้ทั้งหมดมอบให้โรงเรียนวัดเพื่อซ่อมแซมอาคารเรียน ผู้สนใจออกร้านสมัครได้ที่เทศบาลตำบล ห้ามเล่นการพนันในบริเวณงาน
==
italian restaurant|it|Trattoria da Gino, cucina casalinga dal 1962
Da tre generazioni la nostra famiglia prepara pasta fatta in casa, arrosti e dolci della tradizione. Il giovedì gnocchi, il venerdì pesce. In estate si mangia in giardino sotto il pergolato.
Prenotazioni per telefono. Aperto a pranzo e a cena, chiuso il lunedì. Menù per cerimonie e feste fino a ottanta persone.
==
hacked blog|en|What to do when your site says "hacked by"
If your home page suddenly reads "hacked by" a name you do not know, stay calm. Take the site offline, save the logs, and restore a clean backup. A webshell such as c99 is often left in the uploads folder; attackers use it to inject pharma or casino links into old posts.
Change every password, update the plugins and apply the security patch. Then ask the search engine for a review. Our incident response checklist has twelve steps.
==
seo agency|en|Search engine optimisation for small firms
We help small firms to be found: technical audits, content, local listings. We do not buy links; link building for us means work worth linking to. Reports every month, no long contracts.
Our team of six works in Leeds. A first call is free. Clients include a bakery, two law firms and a theatre.
"""
_MORE = """
registrar home|en|NameHarbour - domain names, hosting and e-mail
Search for your domain name and register it today. A .com domain costs 9.90 a year and includes free DNS, domain parking and e-mail forwarding. Transfer your domains to us and we extend them by a year.
Web hosting from 2.50 a month with PHP, MySQL and daily backups. Our support answers around the clock. More than 300,000 customers trust us with their domain names since 1999. Compare our hosting plans, read the documentation or write to sales.
Looking for a premium domain name? Our marketplace lists domains that their owners offer for sale, and brokers who negotiate for you. Sellers pay ten percent commission. Resellers use our interface to register, renew and transfer domains in bulk, manage contacts and set nameservers. We are accredited for more than 400 extensions and work with registries around the world. Our status page shows the state of every system. The knowledge base answers questions on transfers, renewals, expired domains and the redemption period.
==
sell your domain|en|How to sell a domain name: a guide
You own a name you no longer need. A page that says the domain is for sale is the simplest start: buyers who type the name find it. Marketplaces list names for a commission of ten to twenty percent. Set a price or ask for offers, but never both.
Escrow protects both sides. Prices of comparable sales are public. The transfer takes a few days: unlock the domain, send the authorisation code, wait for the registry. Do not forget to take down the e-mail accounts. Taxes differ by country, so ask an accountant. Be patient: good names sell within two years, most never sell. A landing page with a form brings more inquiries than a line of text, and a short answer within a day keeps a buyer warm. Write down what you agree. Do not hand over the name before the money is in escrow, and do not accept a cheque from a stranger. If a buyer asks for statistics, export them from your analytics. Old links to the name raise its price only when they come from sites that people read. Names with numbers or hyphens are hard to sell. Country extensions sell best in their country. Think twice before you sell a name that carries your own mail.
==
vineyard|fr|Domaine viticole à vendre en Provence
Au coeur de la Provence, ce domaine viticole de 24 hectares est à vendre avec sa bastide du XVIIIe siècle, ses caves et son pigeonnier. Les vignes, conduites en agriculture biologique, produisent 90 000 bouteilles par an.
La bastide compte huit chambres et une piscine. Vue sur le Luberon. Visite sur rendez-vous avec notre agence. Prix sur demande.
==
house|en|House for sale in Maple Street
This house is for sale by the owner. Four bedrooms, two bathrooms, a large kitchen with a pantry, a garden with old apple trees. Built in 1931, new roof in 2009. The school is five minutes on foot.
Viewing on Saturdays. Asking price 320,000. No agents please. Call in the evening.
==
builders|en|Under construction: the new bridge
The new bridge over the Avon is under construction since March. Piers one to three are finished, the deck will be lifted in autumn. The road will stay closed on two weekends; detours are signed.
The bridge replaces a structure from 1928 that no longer carries lorries. It will open next summer with lanes for cyclists. The council publishes photographs of the site every Friday.
==
coming films|en|Coming soon to the Regal cinema
Coming soon: the new film by the director of The Lake opens on 4 May, with a talk after the first screening. On 11 May we show the restored print of The Third Man. Children's matinee every Sunday at two.
Tickets at the box office and at the bookshop in Queen Street. Members pay half. The bar opens one hour before the first film. Our organ will be played on the last Friday of the month by Mr Hollis, who has been with us since 1988. The balcony is closed until the repairs are finished. Wheelchair users reach the stalls by the side entrance. Gift vouchers make a good present.
==
band|en|The Larks - new album coming soon
Our third album is recorded and mixed. It will be called Northbound and comes out in September on vinyl and CD. The first single, Ferry Road, is on the radio now. We are on tour in October with dates in Bristol, Leeds, Glasgow and Hull; tickets are on sale at the venues.
Ella sings and plays the cello, Tom the guitar, Ruth the drums. The old records can be had at the concerts. Write to us, we answer everything. Photographs by Jan.
==
short card|en|Hartmann Piano Tuning
Piano tuning and repair in Oxford and the villages around. Telephone 01865 000000. Peter Hartmann, 12 Mill Lane.
==
short card de|de|Gasthof zur Linde
Gutbürgerliche Küche, Biergarten, Fremdenzimmer. Montag Ruhetag. Telefon 08000 12345. Familie Huber freut sich auf Ihren Besuch.
==
apache tutorial|en|Installing Apache on Debian step by step
Install the package and open the address of the server in your browser. If the installation worked you see the Apache2 default page, which says it works and tells you where the configuration is. Replace index.html in the document root with your own page. Then create a virtual host for each site, enable it and reload the server. The default site answers for names without a virtual host of their own. Check the error log when the page stays empty. To see the list of files in a directory, allow indexes for it; otherwise the server answers 403 forbidden. A custom page for error 404 is set with ErrorDocument. Certificates are issued free of charge and renewed by a timer. Restrict the status page to your own address. Rotate the logs weekly. Measure before you tune: the number of workers, the keep alive time and the cache matter most. Keep the system up to date. When you move to a new machine, copy the site files, the configuration and the certificates, and lower the time to live of the name a day before. Test with the hosts file. When all works, change the address of the name and watch the old log until it falls silent. Do not forget mail. Finally write down what you did, so that the next person can repeat it without guessing. Good luck. This guide was last revised in spring and covers the stable release, with notes on older releases where they differ in the names of directories and modules, as several readers have asked for.
==
404 article|en|The art of the error page
Error 404 is the most seen page of the web, and the least loved. A good error page says what happened, in plain words, and offers a way on: a search field, the most read articles, a link to the front page. Humor helps when it does not mock the visitor.
We looked at fifty newspapers. Thirty show a bare page not found. Ten redirect to the front page, which is worse: the visitor does not know that the article is gone. The best keep the old address alive. In the archive of one newspaper we found addresses from 1996 that still answer. That takes care, and a table of redirects that somebody owns. Our own error page was drawn by a reader. It shows a reading dog. People write to us about the dog more often than about any article. The dog's name is Ada. She has since died, but she will stay on our error page as long as there is one. If you design such a page, test it with somebody who has never seen your site. Watch where the hand goes. Most people press the back button first, so what you offer has to be seen before that. Keep it light: the page should load even when everything else is on fire. And never answer a missing page with a status of 200, for search engines will keep it for years and send you visitors who find nothing there. We did that for a month, and it took a year to repair. Write to us about the error pages that you love. We will print the best of them in the summer issue, with the names of those who made them, if they can still be found. Until then, may all your links be good. And when they are not, may there be a dog. This article first appeared in the printed magazine and has been shortened for the web, where it keeps the address that it was given on the first day. The author teaches typography and has collected error pages since 1998; an exhibition of two hundred of them will open next year, on paper, framed, and with a catalogue that has no page 404, because the printer insisted on a page with nothing on it at all and the binder then took it out by mistake. Nobody noticed until the opening.
==
forbidden city|en|The Forbidden City in two hours
The Forbidden City was the palace of the emperors for five centuries. Enter by the Meridian Gate early in the morning, walk the central axis and leave by the northern gate. The clock museum and the treasure gallery cost a little extra.
Buy tickets a week ahead and bring your passport. In winter the courtyards are empty and the light is low. Photographs are allowed everywhere but in the halls. There are places to sit and to eat halfway. Audio guides speak forty languages.
==
access denied film|en|Access Denied: a thriller from Oslo
A systems administrator finds that the hospital's computers have been locked, and that the only copy of the key is in the head of a dying man. The film takes place in one night and one corridor. It was shot in eleven days with a cast of six. The music is played on a broken organ. In cinemas from Thursday.
The director, who wrote the script with a nurse, has a feeling for silence. When the screens go dark the film comes to life. Not every twist convinces, and the romance is one too many. But the last ten minutes are as tense as anything this year. Recommended.
==
polish domain article|pl|Jak sprzedać domenę internetową
Sprzedaż domeny zaczyna się od wyceny. Porównaj ceny podobnych nazw na giełdach i zastanów się, kto mógłby ją kupić. Na stronie warto umieścić informację, że domena jest na sprzedaż, oraz formularz kontaktowy. Transakcję najlepiej przeprowadzić przez serwis pośredniczący, który przetrzyma pieniądze do chwili przekazania domeny. Pamiętaj o podatku. Umowa powinna wskazywać strony, nazwę domeny i cenę. Po zapłacie przekaż kod AuthInfo i potwierdź transfer u rejestratora. Cały proces trwa zwykle tydzień. Nie podawaj kodu przed otrzymaniem pieniędzy. W razie sporu pomoże sąd polubowny przy izbie informatyki. Stare odnośniki do domeny podnoszą jej wartość tylko wtedy, gdy prowadzą z czytanych stron. Nazwy z myślnikami i cyframi sprzedają się najtrudniej. Cierpliwość popłaca: dobre nazwy znajdują nabywcę w ciągu dwóch lat. Warto też przygotować krótki opis historii domeny, liczbę odwiedzin i przykłady zastosowań, bo kupujący rzadko ma wyobraźnię sprzedającego. Jeśli prowadzisz na niej pocztę, przenieś ją wcześniej na inną nazwę i poinformuj swoich klientów. Przez kilka miesięcy zostaw przekierowanie, o ile nowy właściciel się na to zgodzi.
==
classifieds|en|Used bicycles in Portland
Related searches: mountain bike, children's bike, bike trailer. We found 214 offers near you. Women's city bike, 28 inch, seven gears, 120. Racing bike from 1984, restored, 450. Folding bike, hardly used, 200. Tandem with new tyres, 380. Cargo bike with two seats, 900. Bike rack for three bicycles, 60. Helmet, new, 25. Pump, 5.
Popular searches in Portland: sofa, piano, kayak. Post your own ad free of charge. Tips for safe buying: meet in daylight, take a test ride, ask for the frame number. Sellers with a green tick have confirmed their telephone number. Report ads that ask for money in advance. Our bicycle guide explains frame sizes, gears and brakes. Prices are in dollars. Sorted by date, newest first. Page 1 of 11. See also bicycle repair shops and cycling clubs in the area, with opening hours and a map of each of them, and our list of stolen bicycles reported by readers this year.
==
expired domain story|en|How we lost our domain and got it back
In June our domain expired because the credit card on file had expired too. For two days visitors saw a page of the registrar with ads and the words this domain has expired. We paid the redemption fee and had the name back on the third day. What we changed: two cards, three people who get the mails, a calendar entry, and a registrar that telephones. We also moved the mail of the support desk to a second name, because the worst was not the web site but the silence. Customers thought we had gone out of business. We wrote to all of them and offered a month free. Forty took it. Nobody left. If you run a small firm, look up when your domain ends, now, before you read on. Then look up who gets the reminder. If it is a person who left in spring, you have found your problem. The redemption fee was 80 dollars, the lost orders came to about 4,000, and the lesson was worth more than both. Thanks to the people at the registrar who explained every step and did not laugh, at least not on the phone. Next week we write about backups, and why ours were on the same server as the data. That story has a happy end too, though it took longer and cost a weekend in a cold room with two fans and a box of old disks that nobody had labelled.
==
login page|en|Members' area - log in
Please enter your user name and password. Forgot your password? New members register at the club office. Rowing Club Thames Ditton.
==
tiny band|en|The Larks
Folk songs from the north. Ella sings and plays the cello, Tom the guitar, Ruth the drums. Our second record is coming soon, the first one can be had at the concerts. Bookings: write to Ella.
==
personal 1998|en|Anna's home page
Hi! I am Anna, I study biology in Uppsala and this is my home page. Here you find photographs of my cat, my collection of recipes and links to friends. Sign my guestbook! Last updated 3 May 1998. Best viewed with Netscape.
"""


def _read(raw: str) -> list[Honest]:
    pages = []
    for block in raw.strip().split("\n==\n"):
        head, _, text = block.partition("\n")
        name, language, title = head.split("|", 2)
        pages.append(Honest(name, language, title, text))
    return pages


HONEST = tuple(_read(_RAW) + _read(_MORE))
