// What a program knows of answers and events from types that were generated from the description: it must compile.
import type { components, operations, webhooks } from "./schema";

type Schemas = components["schemas"];

export function backlinks(report: Schemas["Report"]): number | null {
  // `detail` tells the two apart; a basic report has no such figure.
  if (report.detail === "basic") {
    const rating: number | null = report.metrics.domain_rating;
    return rating;
  }
  const penalty: number = report.score_breakdown.penalty;
  const known: number | null = report.metrics.backlinks;
  return known === null ? penalty : known;
}

export function published(domain: Schemas["Summary"]): string {
  // Always there for a published domain.
  const score: number = domain.score;
  const found: string = domain.found_at;
  const source: string = domain.listing.source;
  return `${domain.domain} ${score} ${found} ${source}`;
}

export function checked(report: Schemas["CheckReport"]): number {
  // A check may be about a domain that nobody offers, and may have learned nothing.
  const source: string | null = report.listing.source;
  const score: number | null = report.score;
  return (score ?? 0) + (source ?? "").length;
}

export function query(): operations["listLive"]["parameters"]["query"] {
  return { min_score: 60, tld: "com,org", clean: true, sort: "ending", per_page: 100 };
}

export function rule(): Schemas["NewRule"] {
  return { name: "huts", topics: ["Arts"], max_price: null, listing_types: ["bid"] };
}

type Sent<Kind extends keyof webhooks> = webhooks[Kind]["post"]["requestBody"]["content"]["application/json"];

export function told(event: Sent<"alert.matched"> | Sent<"domain.ending_soon"> | Sent<"check.completed">): string {
  switch (event.type) {
    case "alert.matched":
      return event.data.alert.name;
    case "domain.ending_soon":
      return `${event.data.domain.domain} ${event.data.hours_left}`;
    case "check.completed":
      return event.data.check.status;
  }
}
