// Compiles every schema of an OpenAPI document with Ajv, whose patterns are ECMA-262 in Unicode mode, and validates values.
// `node validate.cjs openapi.json values.json`: the second is [{"schema": …, "values": [[value, …], …]}, …]; one value
// of each inner list must be valid. Prints what is wrong, a line each.
const { readFileSync } = require("node:fs");
const { Ajv2020 } = require("ajv/dist/2020");
const { default: addFormats } = require("ajv-formats");

const [document, cases] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
const ajv = new Ajv2020({ strict: true, strictRequired: false, unicodeRegExp: true, allErrors: true });
addFormats(ajv);
// What OpenAPI adds to JSON Schema, and where its references lead.
ajv.addVocabulary(["components", "discriminator"]);
const said = [];
const compiled = new Map();

function compile(schema, where) {
  const key = JSON.stringify(schema);
  if (!compiled.has(key)) {
    try {
      compiled.set(key, ajv.compile({ ...schema, components: document.components }));
    } catch (error) {
      said.push(`${where}: ${error.message}`);
      compiled.set(key, () => true);
    }
  }
  return compiled.get(key);
}

function everyPattern(value, where) {
  if (value === null || typeof value !== "object") return;
  if (typeof value.pattern === "string") {
    try {
      new RegExp(value.pattern, "u");
    } catch (error) {
      said.push(`${where}: ${error.message}`);
    }
  }
  for (const [name, inner] of Object.entries(value)) everyPattern(inner, `${where}/${name}`);
}

function everySchema(value, where) {
  if (value === null || typeof value !== "object") return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "schema") compile(inner, where);
    else everySchema(inner, `${where}/${name}`);
  }
}

everyPattern(document, "#");
for (const name of Object.keys(document.components.schemas)) compile({ $ref: `#/components/schemas/${name}` }, name);
everySchema({ paths: document.paths, webhooks: document.webhooks, headers: document.components.headers }, "#");
let count = 0;
for (const { name, schema, values } of cases) {
  const validate = compile(schema, name);
  for (const readings of values) {
    count += 1;
    if (!readings.some((value) => validate(value))) {
      said.push(`${name}: ${JSON.stringify(readings)} ${ajv.errorsText(validate.errors).slice(0, 300)}`);
    }
  }
}
console.log([...said, `${compiled.size} schemas, ${count} values, ${said.length} faults`].join("\n"));
process.exit(said.length === 0 ? 0 : 1);
