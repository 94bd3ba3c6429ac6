// The scenario of scenario.py through the TypeScript client: `node scenario.js CREDENTIALS`.
import { Afterdrop, ApiError, readEvent, type Event } from "./client.js";

// @ts-expect-error no types of Node are installed
import { createRequire } from "node:module";
const load = createRequire(import.meta.url);
const { readFileSync } = load("node:fs");
const { createServer } = load("node:http");
const argv: string[] = load("node:process").argv;

const told = JSON.parse(readFileSync(argv[2], "utf8"));
const client = new Afterdrop({ baseUrl: told.base_url, key: told.accounts.pro.key });
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

function holds(what: unknown, text: string): asserts what {
  if (!what) throw new Error(text);
}

async function until<T>(asked: () => Promise<T | null>): Promise<T> {
  for (let n = 0; n < 240; n++) {
    const found = await asked();
    if (found !== null) return found;
    await pause(500);
  }
  throw new Error("nothing came of it");
}

const live: string[] = [];
for await (const row of client.each("/domains", { query: { per_page: 10 } })) live.push(row.domain);
const best: number[] = [];
for await (const row of client.each("/domains", { query: { min_score: 60, sort: "score", per_page: 10 } })) {
  holds(live.includes(row.domain), row.domain);
  best.push(row.score);
}
holds(String(best) === String([...best].sort((a, b) => b - a)), "not in order");
const wanted = { body: { name: "the best", min_score: 60 }, idempotencyKey: `ts-rule-of-${live[0]}` };
const { data: rule } = await client.post("/alerts", wanted);
const { data: again } = await client.post("/alerts", wanted);
holds(rule.id === again.id, "one rule, however often it is sent");

const came: [string, string][] = [];
const server = createServer((request: any, response: any) => {
  let body = "";
  request.on("data", (chunk: unknown) => (body += chunk));
  request.on("end", () => {
    came.push([request.headers["service-signature"], body]);
    response.writeHead(204).end();
  });
});
await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
const url = `http://127.0.0.1:${server.address().port}/in`;
const { data: hook } = await client.post("/webhooks", { body: { url } });
// An endpoint that was made before under the same key comes without it.
const secret = "secret" in hook ? String(hook.secret) : "";
holds(secret.startsWith("whsec_"), "a new endpoint shows its secret");
const { data: check } = await client.post("/checks", { body: { domain: live[2]! } });
const done = await until(async () => {
  const { data } = await client.get("/checks/{id}", { path: { id: check.id } });
  return data.finished_at === null ? null : data;
});
// The account's other alerts and checks may be heard meanwhile.
const { event, signature, body } = await until(async () => {
  for (const [signature, body] of came) {
    const event = await readEvent(secret, signature, body);
    if (event.type === "check.completed" && event.data.check.id === check.id) return { event, signature, body };
  }
  return null;
});
await readEvent(secret, signature, `${body} `).then(
  () => holds(false, "a changed body was taken"),
  () => undefined,
);
const events: Event[] = [];
let cursor: string | null = null;
for await (const part of client.catchUp()) {
  events.push(...part.events);
  cursor = part.cursor;
}
holds(events.some((each) => each.id === event.id), "the event is not among those of the account");
for await (const part of client.catchUp(cursor)) {
  holds(!part.events.some((each) => each.id === event.id), "an event came twice");
}
let refused: unknown = null;
try {
  await client.get("/domains/{domain}", { path: { domain: "never-listed.org" } });
} catch (error) {
  holds(error instanceof ApiError, String(error));
  refused = [error.status, error.code];
}
await client.delete("/webhooks/{id}", { path: { id: hook.id } });
await client.delete("/alerts/{id}", { path: { id: rule.id } });
server.close();
console.log(JSON.stringify({ live: live.length, best: best.length, check: done.status, event: event.type, refused }));
