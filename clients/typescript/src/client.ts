// A small wrapper around fetch: typed answers, retries by Retry-After, all rows of an answer that comes in parts,
// POSTs that are executed once, and the signature of webhooks.
import type { components, paths, webhooks } from "./schema.js";

export type { components, paths, webhooks } from "./schema.js";
export type Schemas = components["schemas"];
type Method = "get" | "put" | "post" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
/** The paths that take a method. */
export type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];
type Json<R> = R extends { content: { "application/json": infer B } } ? B : R extends { content?: never } ? undefined : never;
type Responses<O> = O extends { responses: infer R } ? R : never;
/** The answer to an operation that succeeded. */
export type Answer<P extends keyof paths, M extends Method> = {
  [S in keyof Responses<Operation<P, M>>]: S extends 200 | 201 | 202 | 204 ? Json<Responses<Operation<P, M>>[S]> : never;
}[keyof Responses<Operation<P, M>>];
type Parameters<O, W extends string> = O extends { parameters: { [K in W]?: infer V } } ? V : never;
type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : never;
/** The input of an operation. */
export interface Sent<P extends keyof paths, M extends Method> {
  path?: Parameters<Operation<P, M>, "path">;
  query?: Parameters<Operation<P, M>, "query">;
  body?: Body<Operation<P, M>>;
  idempotencyKey?: string;
}
type Row<A> = A extends { data: (infer T)[] } ? T : never;
/** An event as webhooks and `/events` give it. */
export type Event = Schemas["EventList"]["data"][number];
export type Delivered = webhooks[keyof webhooks]["post"]["requestBody"]["content"]["application/json"];

export interface Options {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  key: string;
  fetch?: typeof fetch;
  pause?: (seconds: number) => Promise<void>;
  /** At most so many attempts, none after a wait of more than `longestWait` seconds. */
  attempts?: number;
  longestWait?: number;
}

// 520 to 524 are a proxy's words for a service that it did not reach, or that did not answer it.
const RETRIED = new Set([429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
const sleep = (seconds: number) => new Promise<void>((done) => setTimeout(done, seconds * 1000));

/** An answer that is no success. `code` is for programs; `fields` has messages by field where the request is wrong. */
export class ApiError extends Error {
  readonly code: string;
  readonly fields: Record<string, string[]>;
  constructor(
    readonly status: number,
    error: { code?: string; message?: string; fields?: Record<string, string[]> },
    readonly retryAfter: number | null,
  ) {
    super(`${status} ${error.code}: ${error.message}`);
    this.code = error.code ?? "server_error";
    this.fields = error.fields ?? {};
  }
}

export class Afterdrop {
  readonly #options: Required<Options>;

  constructor(options: Options) {
    const { attempts = 5, longestWait = 65, pause = sleep } = options;
    const asked = options.fetch ?? ((...given: globalThis.Parameters<typeof fetch>) => fetch(...given));
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/$/, ""), attempts, longestWait, pause, fetch: asked };
  }

  get<P extends PathsOf<"get">>(path: P, sent: Sent<P, "get"> = {}): Promise<Answer<P, "get">> {
    return this.#send("get", path, sent);
  }

  put<P extends PathsOf<"put">>(path: P, sent: Sent<P, "put"> = {}): Promise<Answer<P, "put">> {
    return this.#send("put", path, sent);
  }

  /** Executed once, however often it is sent: every attempt carries the same Idempotency-Key. */
  post<P extends PathsOf<"post">>(path: P, sent: Sent<P, "post"> = {}): Promise<Answer<P, "post">> {
    return this.#send("post", path, sent);
  }

  patch<P extends PathsOf<"patch">>(path: P, sent: Sent<P, "patch"> = {}): Promise<Answer<P, "patch">> {
    return this.#send("patch", path, sent);
  }

  delete<P extends PathsOf<"delete">>(path: P, sent: Sent<P, "delete"> = {}): Promise<Answer<P, "delete">> {
    return this.#send("delete", path, sent);
  }

  /** Every row of an answer that comes in parts. */
  async *each<P extends PathsOf<"get">>(path: P, sent: Sent<P, "get"> = {}): AsyncGenerator<Row<Answer<P, "get">>> {
    for (let query: object | null = { ...(sent.query as object | undefined) }; query !== null; ) {
      const answer = (await this.get(path, { ...sent, query } as Sent<P, "get">)) as Parts<Row<Answer<P, "get">>>;
      yield* answer.data;
      query = following(path, query, answer);
    }
  }

  /** Events after a cursor, some at a time, each time with the cursor to keep once they are handled. */
  async *catchUp(cursor: string | null = null): AsyncGenerator<{ events: Event[]; cursor: string | null }> {
    for (let more = true; more; ) {
      const answer = await this.get("/events", { query: { limit: 100, ...(cursor === null ? {} : { after: cursor }) } });
      ({ next_cursor: cursor, more } = answer.meta);
      yield { events: answer.data, cursor };
    }
  }

  async #send<A>(method: Method, path: string, sent: object): Promise<A> {
    const { path: values, query, body, idempotencyKey } = sent as {
      path?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown; idempotencyKey?: string;
    };
    const { baseUrl, key, attempts, longestWait, pause } = this.#options;
    const url = new URL(baseUrl + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values?.[name]))));
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${key}`, Accept: "application/json" };
    if (method === "post") headers["Idempotency-Key"] = idempotencyKey ?? crypto.randomUUID();
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const request: RequestInit = { method: method.toUpperCase(), headers };
    if (body !== undefined) request.body = JSON.stringify(body);
    for (let attempt = 1; ; attempt++) {
      let answer: Response | null = null;
      try {
        answer = await this.#options.fetch(url, request);
      } catch (error) {
        if (attempt >= attempts) throw error;
      }
      const told = Number(answer?.headers.get("Retry-After") ?? NaN);
      const wait = Number.isFinite(told) ? told : Math.min(2 ** (attempt - 1), 30);
      const again = attempt < attempts && wait <= longestWait && (answer === null || RETRIED.has(answer.status));
      if (answer !== null && !again) return read<A>(answer);
      if (!again) throw new Error("there was no answer");
      await pause(wait);
    }
  }
}

interface Parts<T> {
  data: T[];
  meta?: { page?: number; pages?: number; next_cursor?: string | null; more?: boolean };
}

function following(path: string, query: object, { meta = {} }: Parts<unknown>): object | null {
  if (meta.page !== undefined) return meta.page < (meta.pages ?? 0) ? { ...query, page: meta.page + 1 } : null;
  if (meta.next_cursor == null || meta.more === false) return null;
  return { ...query, [path === "/events" ? "after" : "cursor"]: meta.next_cursor };
}

async function read<A>(answer: Response): Promise<A> {
  const text = await answer.text();
  if (answer.ok && text === "") return undefined as A;
  let error: { code?: string; message?: string } = { message: text.slice(0, 200) };
  try {
    const body = JSON.parse(text) as { error?: typeof error } | null;
    if (answer.ok) return body as A;
    if (typeof body?.error === "object" && body.error !== null) error = body.error;
  } catch {
    // Something between us and the service answered.
  }
  const told = Number(answer.headers.get("Retry-After") ?? NaN);
  throw new ApiError(answer.status, error, Number.isFinite(told) ? told : null);
}

/** The event of a delivery whose header `Service-Signature` is right; throws otherwise. `body` is the raw text. */
export async function readEvent(secret: string, signature: string, body: string, now = Date.now() / 1000): Promise<Delivered> {
  const parts = new Map(signature.split(",").map((part) => part.split("=", 2) as [string, string]));
  const moment = parts.get("t") ?? "";
  const bytes = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const given = Uint8Array.from((parts.get("v1") ?? "").match(/[0-9a-f]{2}/g) ?? [], (pair) => parseInt(pair, 16));
  const right = await crypto.subtle.verify("HMAC", key, given, bytes.encode(`${moment}.${body}`));
  if (!right) throw new Error("the signature is not of this body");
  if (!/^[0-9]+$/.test(moment) || Math.abs(now - Number(moment)) > 300) throw new Error("the signature is older than five minutes");
  return JSON.parse(body) as Delivered;
}
