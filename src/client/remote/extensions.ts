// Why: docs/decisions/foreign-services.md
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
  async unannounced({ path, params }: ExtendedOperation, texts: ParamTexts): Promise<ReadonlySet<string>> {
    const extensions = texts.filter(([name]) => params[name]?.extension === true);
    if (extensions.length === 0) return new Set();
    this.#announced ??= this.#get('/v1/openapi.json').then(announcedIn);
    const announces = await this.#announced.catch((error) => {
      this.#announced = undefined;
      throw error;
    });
    const lacking = extensions.filter(([name, text]) => {
      // The service itself refuses a value that no service knows.
      const choices = listIn(params[name]?.schema, 'enum');
      return !announces(path, name, choices.includes(text) ? text : undefined);
    });
    return new Set(lacking.map(([name]) => name));
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
    const refused = sent.filter(
      ([name, text]) =>
        lacking.has(name) && params[name]?.parse(text, name, clock) !== params[name]?.fallback,
    );
    // The most important one first.
    const [first] = refused.find(([name]) => name === 'as_of') ?? refused[0] ?? [];
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
  const fallback = params[name]?.fallback ?? '';
  const offered = fallback === '' ? '' : `; this service has only ${name}=${fallback}`;
  return new Problem('bad-answer', detail, {
    missing: true,
    hints: [`it is an extension of asof, which a store and services of asof have${offered}`],
  });
}

/** Whether a path has a query parameter, and the value if one is given. */
type Announces = (path: string, parameter: string, value?: string) => boolean;

/** What the reply to `/v1/openapi.json` announces; any other content announces nothing. */
function announcedIn(reply: HttpReply): Announces {
  const description = descriptionIn(reply);
  const components = memberOf(memberOf(description, 'components'), 'parameters');
  // A parameter may be a reference to one of the components.
  const resolved = (entry: unknown) => {
    const reference = memberOf(entry, '$ref');
    const name = typeof reference === 'string' && /^#\/components\/parameters\/(.+)$/.exec(reference)?.[1];
    return name ? memberOf(components, name) : entry;
  };
  const paths = new Map(
    Object.entries(memberOf(description, 'paths') ?? {}).map(([template, item]) => [
      shape(template),
      [...listIn(item, 'parameters'), ...listIn(memberOf(item, 'get'), 'parameters')].map(resolved),
    ]),
  );
  return (path, parameter, value) =>
    (paths.get(shape(path)) ?? []).some(
      (entry) =>
        memberOf(entry, 'in') === 'query' &&
        memberOf(entry, 'name') === parameter &&
        mayBe(value, listIn(memberOf(entry, 'schema'), 'enum')),
    );
}

function descriptionIn(reply: HttpReply): unknown {
  if (reply.status !== 200) return undefined;
  try {
    return readJson(reply);
  } catch {
    return undefined;
  }
}

/** Whether a parameter may have a value: an older asof announces the parameter with fewer values. */
function mayBe(value: string | undefined, choices: readonly unknown[]): boolean {
  return value === undefined || choices.length === 0 || choices.includes(value);
}

/** A path without the names of its parameters, which another service may choose differently. */
function shape(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const found = memberOf(value, name);
  return Array.isArray(found) ? found : [];
}
