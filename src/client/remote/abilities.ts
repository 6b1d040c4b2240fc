import { readJson } from './answer.ts';
import type { HttpReply } from './exchange.ts';

/** Whether a service announces a query parameter of a path in its OpenAPI description. */
export type Announces = (path: string, parameter: string) => boolean;

const announcesNothing: Announces = () => false;

/** What the reply to `/v1/openapi.json` announces; whatever is no such description announces nothing. */
export function announcedIn(reply: HttpReply): Announces {
  if (reply.status !== 200) return announcesNothing;
  let description: unknown;
  try {
    description = readJson(reply);
  } catch {
    return announcesNothing;
  }
  const paths = Object.entries(objectIn(description, 'paths'));
  return (path, parameter) =>
    paths.some(
      ([template, item]) =>
        shape(template) === shape(path) &&
        [...listIn(item, 'parameters'), ...listIn(objectIn(item, 'get'), 'parameters')]
          .map((entry) => resolved(entry, description))
          .some((entry) => entry.in === 'query' && entry.name === parameter),
    );
}

/** Path parameters may be called anything. */
function shape(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}');
}

type JsonObject = Readonly<Record<string, unknown>>;

function objectIn(value: unknown, name: string): JsonObject {
  const found = fieldsOf(value)[name];
  return fieldsOf(found);
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const found = fieldsOf(value)[name];
  return Array.isArray(found) ? found : [];
}

function fieldsOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** A parameter that may be written as a reference into the description's components. */
function resolved(entry: unknown, description: unknown): JsonObject {
  const reference = fieldsOf(entry).$ref;
  const name =
    typeof reference === 'string' ? /^#\/components\/parameters\/(.+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) return fieldsOf(entry);
  return objectIn(objectIn(objectIn(description, 'components'), 'parameters'), name);
}
