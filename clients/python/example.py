"""The best domains that end today, and checks of two others: `python example.py` with two variables set."""

import os
import time

from afterdrop_client import Afterdrop, ApiError
from afterdrop_client import operations as api

client = Afterdrop(os.environ["AFTERDROP_URL"] + "/api/v1", os.environ["AFTERDROP_API_KEY"])

for domain in client.each(api.live(min_score=60, clean=True, ending_within_hours=24, sort="ending")):
    print(f"{domain['domain']:30} {domain['score']:3} {domain['listing']['ends_at']}")

preview = client(api.preview_checks(["example.org", "example.net"]))
print(f"Two checks would cost {preview['cost']} of {preview['credits_available']} credits.")
try:
    batch = client(api.order_checks(["example.org", "example.net"], credits=preview["cost"]))
except ApiError as error:
    raise SystemExit(str(error)) from None
while batch["progress"]["queued"] or batch["progress"]["running"]:
    time.sleep(10)
    batch = client(api.check_batch(batch["id"]))
for item in batch["items"]:
    check = item["check"]
    print(item["domain"], check["score"] if check else "listed", item["report_url"])
