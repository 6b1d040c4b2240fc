import { Problem } from '../../errors/problem.ts';
import { boundsAsOf, type Operation } from '../../operations/operation.ts';
import type { ParamTexts } from '../../operations/param.ts';
import type { Clock } from '../../operations/value.ts';
import { readJson } from './answer.ts';
import type { HttpReply } from './exchange.ts';

/** The extension parameters that a service announces in its OpenAPI description, read once. */
export class Extensions {
  readonly #service: string;
  readonly #get: (path: string) => Promise<HttpReply>;
  #announced: Promise<Announces> | undefined;

  constructor(service: string, get: (path: string) => Promise<HttpReply>) {
    this.#service = service;
    this.#get = get;
  }

  /** The extension parameters of a query that the service does not announce. */
  async unannounced({ path, params }: Pick<Operation, 'params' | 'path'>, texts: ParamTexts) {
    const extensions = texts.filter(([name]) => params[name]?.extension === true);
    if (extensions.length === 0) return new Set<string>();
    this.#announced ??= this.#get('/v1/openapi.json').then(announcedIn);
    const announces = await this.#announced.catch((error) => {
      this.#announced = undefined;
      throw error;
    });
    // The service itself refuses a value that no service knows.
    const choiceOf = (name: string, text: string) => {
      const choices = params[name]?.schema.enum;
      return Array.isArray(choices) && choices.includes(text) ? text : undefined;
    };
    return new Set(
      extensions.flatMap(([name, text]) => (announces(path, name, choiceOf(name, text)) ? [] : [name])),
    );
  }

  /**
   * What to send a service for a query: without extensions that it does not announce, if they have their default, and
   * with bounds in the place of an as-of date where the operation has them. Refuses any other that it lacks, by name.
   */
  async sendable(operation: ExtendedOperation, texts: ParamTexts, clock: Clock): Promise<ParamTexts> {
    const lacking = await this.unannounced(operation, texts);
    const { params } = operation;
    const changes = lacking.has('as_of') ? boundsAsOf(operation, texts, clock) : {};
    const sent = [
      ...texts.filter(([name]) => !Object.hasOwn(changes, name)),
      ...Object.entries(changes).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, text] as const],
      ),
    ];
    const isDefault = (name: string, text: string) =>
      params[name]?.parse(text, name, clock) === params[name]?.fallback;
    const refused = sent.flatMap(([name, text]) => (lacking.has(name) && !isDefault(name, text) ? name : []));
    // The most important one first.
    const [first] = refused.includes('as_of') ? ['as_of'] : refused;
    if (first !== undefined) throw lacksParameter(operation, first, this.#service);
    return sent.filter(([name]) => !lacking.has(name));
  }
}

type ExtendedOperation = Pick<Operation, 'boundsAsOf' | 'check' | 'params' | 'path'>;

function lacksParameter({ params, path }: ExtendedOperation, name: string, service: string): Problem {
  const detail =
    name === 'as_of'
      ? `the service at ${service} cannot answer as of a day: it does not announce 'as_of' for ${path}`
      : `the service at ${service} does not announce the parameter '${name}'`;
  const fallback = params[name]?.fallback;
  const offered =
    fallback === undefined || fallback === '' ? '' : `; this service has only ${name}=${fallback}`;
  return new Problem('bad-answer', detail, {
    missing: true,
    hints: [`it is an extension of asof, which a store and services of asof have${offered}`],
  });
}

/** Whether a path has a query parameter, and the value if one is given. */
type Announces = (path: string, parameter: string, value?: string) => boolean;

const announcesNothing: Announces = () => false;

/** What the reply to `/v1/openapi.json` announces; any other content announces nothing. */
function announcedIn(reply: HttpReply): Announces {
  if (reply.status !== 200) return announcesNothing;
  let description: unknown;
  try {
    description = readJson(reply);
  } catch {
    return announcesNothing;
  }
  const paths = Object.entries(objectIn(description, 'paths'));
  return (path, parameter, value) =>
    paths.some(
      ([template, item]) =>
        shape(template) === shape(path) &&
        [...listIn(item, 'parameters'), ...listIn(objectIn(item, 'get'), 'parameters')]
          .map((entry) => resolved(entry, description))
          .some((entry) => entry.in === 'query' && entry.name === parameter && mayBe(value, entry)),
    );
}

/** Whether a parameter may have a value: an older asof announces the parameter with fewer values. */
function mayBe(value: string | undefined, parameter: JsonObject): boolean {
  const choices = listIn(parameter.schema, 'enum');
  return value === undefined || choices.length === 0 || choices.includes(value);
}

/** A path without the names of its parameters, which another service may choose differently. */
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

/** A parameter; if the entry is a reference, the one in the description's components. */
function resolved(entry: unknown, description: unknown): JsonObject {
  const reference = fieldsOf(entry).$ref;
  const name =
    typeof reference === 'string' ? /^#\/components\/parameters\/(.+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) return fieldsOf(entry);
  return objectIn(objectIn(objectIn(description, 'components'), 'parameters'), name);
}
