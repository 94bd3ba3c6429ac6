"""Honest pages that name what spam sells in a sentence or two: to refuse it, to warn of it, to quote it, or lawfully."""

from __future__ import annotations

from tests.unit.review.composed_honest import _read

_RAW = """
clockmaker en|en|Averill Clocks and Watches, Ludlow
We overhaul long-case clocks, carriage clocks and wrist watches, among them Rolex, Omega and Longines. Movements are cleaned, oiled and timed for a week on the bench.
Please note that we neither open nor value replica watches, and that a fake Rolex brought in for a battery goes home without one. Those who sell replica Rolex online as genuine keep us busier than we like.
Estimates are free. The shop is closed on Wednesdays and in the second half of August.
==
pharmacist nl|nl|Apotheek De Vuurtoren
Bij ons haalt u uw recept op werkdagen op tussen acht en zes uur. Herhaalrecepten bestelt u telefonisch of met het formulier.
Viagra kopen zonder recept? Dat kan bij ons niet: viagra zonder recept is gevaarlijk voor mensen met een hartkwaal en wat via internet wordt verzonden is vaak nep.
Wij meten ook uw bloeddruk, maken weekdozen klaar en bezorgen bij mensen die slecht ter been zijn.
==
savings bank pt|pt|Caixa Rural de Vilarinho
A Caixa empresta para a casa, para a lavoura e para o carro, depois de uma conversa com o gestor ao balcão. Abrimos das nove às quinze horas.
Não damos crédito sem consulta ao SPC nem dinheiro rápido sem comprovação de renda: quem promete empréstimo para negativado cobra sempre mais do que diz.
As contas dos sócios são lidas na assembleia de março, e as sobras ficam na aldeia.
==
history department en|en|Department of History, Norwell College
The department teaches European and colonial history to about two hundred students. First-year students meet their tutor every second week and hand in four papers a term.
A paper from an essay writing service is not yours. Sites that say "pay someone to write my essay" or "buy essays online" will be named in the hearing, and the paper counts as not handed in.
Office hours, reading lists and the calendar of talks are on the board beside the library.
==
counsellor fr|fr|Claire Aubanel, thérapeute de couple à Nantes
Je reçois les couples et les personnes seules, sur rendez-vous, au deuxième étage d'un immeuble calme près du jardin des plantes. La première rencontre dure une heure.
Il arrive que l'un des deux passe ses nuits sur du porno gratuit ou devant des vidéos porno ; nous en parlons sans honte ni jugement. Le plan cul d'un soir n'est pas non plus un sujet interdit.
Les séances ne sont pas remboursées, mais certaines mutuelles participent.
==
mall de|de|Nike Factory Outlet und fünfzig andere Geschäfte - Einkaufsdorf Heidesee
Fünfzig Geschäfte erwarten Sie rund um den Mühlenplatz. Im Erdgeschoss finden Sie Michael Kors Outlet und Coach Outlet, oben ein Café mit Blick auf den See.
Geöffnet ist montags bis samstags von zehn bis neunzehn Uhr. Der Bus der Linie 7 hält vor dem Haupttor, Parkplätze gibt es am Bahnhof.
==
mall en|en|Who is where at Saltmarsh Quay
The ground floor has Nike Factory Outlet, Coach Outlet and Michael Kors Outlet; up the stairs are Polo Ralph Lauren Outlet, the bakery and the tide clock.
Dogs may come in on a lead. The number 9 bus stops at the quay every half hour until six, and the car park floods at spring tides.
"""

REFUSED = tuple(_read(_RAW))
