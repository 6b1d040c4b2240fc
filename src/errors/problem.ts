/** The HTTP status and the contract's error type of each kind; status 0 is a failure of the client's machine. */
const kinds = {
  'validation-error': { status: 400, title: 'Validation Error', type: 'validation-error' },
  // The contract has no type for this kind: on the wire it is a validation error of the cursor.
  'data-changed': { status: 400, title: 'Validation Error', type: 'validation-error' },
  unauthorized: { status: 401, title: 'Unauthorized', type: 'unauthorized' },
  'plan-upgrade-required': { status: 403, title: 'Plan Upgrade Required', type: 'plan-upgrade-required' },
  'not-found': { status: 404, title: 'Not Found', type: 'not-found' },
  'rate-limit-exceeded': { status: 429, title: 'Rate Limit Exceeded', type: 'rate-limit-exceeded' },
  'internal-error': { status: 500, title: 'Internal Error', type: 'internal-error' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed' },
  'not-acceptable': { status: 406, title: 'Not Acceptable' },
  'uri-too-long': { status: 414, title: 'URI Too Long' },
  'header-fields-too-large': { status: 431, title: 'Request Header Fields Too Large' },
  'service-unavailable': { status: 503, title: 'Service Unavailable' },
  'bad-input': { status: 0, title: 'Bad Input' },
  unreachable: { status: 0, title: 'Unreachable' },
  'bad-answer': { status: 0, title: 'Bad Answer' },
  'no-rows': { status: 0, title: 'No Rows' },
  inexact: { status: 0, title: 'Not Exact' },
  'too-old': { status: 0, title: 'Too Old' },
  'local-io': { status: 0, title: 'Local File Error' },
  interrupted: { status: 0, title: 'Interrupted' },
} as const;

/** A contract's error type, another HTTP error, or a local failure. */
export type ProblemKind = keyof typeof kinds;

/** Returns the kind of a failure with an HTTP status; undefined if no kind has it. */
export function kindOfStatus(status: number): ProblemKind | undefined {
  return (Object.keys(kinds) as readonly ProblemKind[]).find((kind) => kinds[kind].status === status);
}

/** A refused value: its parameter, the value, and a better one. */
export type RefusedValue = {
  /** Absent if the reader of a value does not know its parameter; the caller does. */
  readonly param?: string;
  readonly value?: unknown;
  readonly reason: string;
  /** The noun for the value, if the contract uses that instead of the value. */
  readonly noun?: 'date';
};

/** How a front names parameters and refuses a value. */
export type Voice = {
  readonly kind: 'bad-input' | 'validation-error';
  /** Names a parameter by its name on the wire, and with its value if the reader should set that. */
  readonly param: (name: string, value?: string) => string;
  readonly refused: (refusal: RefusedValue) => string;
  /** Returns the contract's words before a contradiction of parameters; other fronts leave them out. */
  readonly lead: (words: string) => string;
};

/** A message about parameters, to be worded by a front. */
export type Sentence = (voice: Voice) => string;

/** The contract's voice: `invalid 'limit' "0": use an integer from 1 to 1000`. */
export const wireVoice: Voice = {
  kind: 'validation-error',
  param: (name, value) => (value === undefined ? `'${name}'` : `${name}=${value}`),
  refused: ({ param, value, reason, noun }) =>
    `invalid '${param ?? 'value'}'${noun === undefined ? quoted(value) : ` ${noun}`}: ${reason}`,
  lead: (words) => `${words} `,
};

/** The voice of documentation in Markdown: names are code. */
export const codeVoice: Voice = {
  ...wireVoice,
  param: (name, value) => `\`${value === undefined ? name : `${name}=${value}`}\``,
};

/** Quotes a value after the name of its parameter, cut at `most` characters; empty for undefined. */
export function quoted(value: unknown, most = Number.POSITIVE_INFINITY): string {
  return value === undefined ? '' : ` ${quoteValue(value, most)}`;
}

function quoteValue(value: unknown, most: number): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > most ? `${value.slice(0, most)}…` : value);
  if (Array.isArray(value)) return `[${value.map((one) => quoteValue(one, most)).join(', ')}]`;
  if (typeof value === 'function') return '(a function)';
  if (typeof value === 'object' && value !== null) return `(${value.constructor?.name ?? 'an object'})`;
  return String(value);
}

export type ProblemOptions = {
  readonly field?: string | undefined;
  readonly hints?: readonly (string | Sentence)[];
  readonly requestId?: string | undefined;
  readonly instance?: string | undefined;
  /** Seconds to wait before the next request. */
  readonly retryAfter?: number | undefined;
  /** The address under which the service explains this type of error. */
  readonly type?: string | undefined;
  /** True if the service lacks the requested endpoint or parameter. */
  readonly missing?: boolean;
  /** The failed series of a query that may have several. */
  readonly series?: string;
  readonly cause?: unknown;
  readonly refusal?: RefusedValue | undefined;
  /** Lines that the message lists below its first line. */
  readonly list?: readonly string[];
};

/** The changes in a copy of a problem. */
export type ProblemChanges = ProblemOptions & {
  readonly kind?: ProblemKind;
  readonly detail?: string | Sentence;
};

/** An RFC 9457 problem document; without a service it has no status. */
export type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status?: number;
  readonly detail: string;
  readonly instance?: string;
  readonly request_id?: string;
  readonly field?: string;
};

/** The only error class: a Problem for every foreseen failure. Other errors are bugs. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly detail: string;
  readonly field: string | undefined;
  readonly hints: readonly string[];
  readonly requestId: string | undefined;
  readonly instance: string | undefined;
  readonly retryAfter: number | undefined;
  readonly type: string | undefined;
  readonly missing: boolean;
  /** The first line of the detail, without the list below it. */
  readonly headline: string;
  readonly list: readonly string[];
  /** The refused value, for programs; the detail has it in words. */
  readonly refusal: RefusedValue | undefined;
  readonly #sentence: Sentence | undefined;
  readonly #hints: readonly (string | Sentence)[];
  readonly series?: string;

  /** Takes `detail` as a text or a sentence, which is in the contract's words until `in` changes them. */
  constructor(kind: ProblemKind, detail: string | Sentence, options: ProblemOptions = {}) {
    const { list = [] } = options;
    const headline = typeof detail === 'string' ? detail : detail(wireVoice);
    const said = list.length === 0 ? headline : [`${headline}:`, ...list].join('\n  ');
    super(said, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.kind = kind;
    this.detail = said;
    this.headline = headline;
    this.list = list;
    this.#sentence = typeof detail === 'string' ? undefined : detail;
    this.refusal = options.refusal;
    this.field = options.field;
    this.#hints = options.hints ?? [];
    this.hints = this.#hints.map((hint) => saidIn(wireVoice, hint));
    this.requestId = options.requestId;
    this.instance = options.instance;
    this.retryAfter = options.retryAfter;
    this.type = options.type;
    this.missing = options.missing ?? false;
    if (options.series !== undefined) this.series = options.series;
  }

  get status(): number {
    return kinds[this.kind].status;
  }

  /** The id of the request that a service refused, which its operator can look up; a store has no operator. */
  get servedRequest(): string | undefined {
    return this.type === undefined ? undefined : this.requestId;
  }

  /** Copies this problem with some changes. */
  with({ kind = this.kind, detail = this.#sentence ?? this.headline, ...options }: ProblemChanges): Problem {
    return new Problem(kind, detail, { ...this, hints: this.#hints, cause: this.cause, ...options });
  }

  /** Puts the problem into a front's words; a problem that is not about parameters stays the same. */
  in(voice: Voice): Problem {
    const sentence = this.#sentence;
    if (sentence === undefined) return this;
    const hints = this.#hints.map((hint) => saidIn(voice, hint));
    return this.with({ kind: voice.kind, detail: sentence(voice), hints });
  }

  /** Makes the problem document; `errorsBase` is the address of the contract's pages on error types. */
  toDocument(errorsBase: string): ProblemDocument {
    const { status, title, type }: { status: number; title: string; type?: string } = kinds[this.kind];
    // asof itself can fail in the same way; only an answer of a service has a status.
    const isAnswer = [this.instance, this.requestId, this.type].some((part) => part !== undefined);
    return {
      type: this.type ?? (type === undefined ? 'about:blank' : `${errorsBase}/${type}`),
      title,
      ...(isAnswer && status > 0 && { status }),
      detail: this.detail,
      ...(this.instance !== undefined && { instance: this.instance }),
      ...(this.requestId !== undefined && { request_id: this.requestId }),
      ...(this.field !== undefined && { field: this.field }),
    };
  }
}

/** Makes the problem of a value that a parameter does not accept; each front words it. */
export function refused(refusal: RefusedValue, hints: readonly string[] = []): Problem {
  const { param: field } = refusal;
  return new Problem('validation-error', (voice) => voice.refused(refusal), { field, refusal, hints });
}

/** Makes the problem of parameters that exclude each other; each front uses its own names for them. */
export function contradiction(field: string, sentence: Sentence, hints: readonly Sentence[] = []): Problem {
  return new Problem('validation-error', sentence, { field, hints });
}

/** Puts a text into a front's words. */
export function saidIn(voice: Voice, said: string | Sentence): string {
  return typeof said === 'string' ? said : said(voice);
}

/** Calls `work` and puts its problems into a front's words. */
export function inVoice<T>(voice: Voice, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Problem ? error.in(voice) : error;
  }
}
