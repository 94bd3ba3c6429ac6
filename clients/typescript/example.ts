// The best domains that end today, and what a check of two others would cost: AFTERDROP_URL and AFTERDROP_API_KEY are set.
import { Afterdrop } from "afterdrop-client";

declare const process: { env: Record<string, string | undefined> };
const client = new Afterdrop({
  baseUrl: `${process.env["AFTERDROP_URL"]}/api/v1`,
  key: process.env["AFTERDROP_API_KEY"] ?? "",
});

const query = { min_score: 60, clean: true, ending_within_hours: 24, sort: "ending" } as const;
for await (const domain of client.each("/domains", { query })) {
  console.log(domain.domain.padEnd(30), domain.score, domain.listing.ends_at);
}
const { data } = await client.post("/checks/batch", { body: { domains: ["example.org", "example.net"] } });
console.log(`Two checks would cost ${data.cost} credits.`);
