/** The kinds of failure asof knows: the contract's six error types, the plain HTTP ones, and those a client meets on its own machine. */
export type ProblemKind =
  | 'validation-error'
  | 'unauthorized'
  | 'plan-upgrade-required'
  | 'not-found'
  | 'rate-limit-exceeded'
  | 'internal-error'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'uri-too-long'
  | 'header-fields-too-large'
  | 'service-unavailable'
  | 'bad-input'
  | 'unreachable'
  | 'bad-answer'
  | 'no-rows'
  | 'local-io'
  | 'interrupted';

const kinds: Record<ProblemKind, { readonly status: number; readonly title: string }> = {
  'validation-error': { status: 400, title: 'Validation Error' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  'plan-upgrade-required': { status: 403, title: 'Plan Upgrade Required' },
  'not-found': { status: 404, title: 'Not Found' },
  'rate-limit-exceeded': { status: 429, title: 'Rate Limit Exceeded' },
  'internal-error': { status: 500, title: 'Internal Error' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed' },
  'not-acceptable': { status: 406, title: 'Not Acceptable' },
  'uri-too-long': { status: 414, title: 'URI Too Long' },
  'header-fields-too-large': { status: 431, title: 'Request Header Fields Too Large' },
  'service-unavailable': { status: 503, title: 'Service Unavailable' },
  'bad-input': { status: 0, title: 'Bad Input' },
  unreachable: { status: 0, title: 'Unreachable' },
  'bad-answer': { status: 0, title: 'Bad Answer' },
  'no-rows': { status: 0, title: 'No Rows' },
  'local-io': { status: 0, title: 'Local File Error' },
  interrupted: { status: 0, title: 'Interrupted' },
};

const contractKinds: ReadonlySet<ProblemKind> = new Set([
  'validation-error',
  'unauthorized',
  'plan-upgrade-required',
  'not-found',
  'rate-limit-exceeded',
  'internal-error',
]);

/** What may be said of a failure beyond its kind and its detail. */
export type ProblemOptions = {
  readonly field?: string;
  readonly hints?: readonly string[];
  readonly requestId?: string;
  readonly instance?: string;
  readonly retryAfter?: number;
  /** The address by which the service that answered explains this type of error. */
  readonly type?: string;
  /** Whether the service that answered lacks what was asked of it: an endpoint, or a parameter. */
  readonly missing?: boolean;
  readonly cause?: unknown;
};

/** An RFC 9457 problem document, as the contract's part 7 lays it out; kinds of the client's own machine have status 0. */
export type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly request_id?: string;
  readonly field?: string;
};

/** The one error class: every failure that asof foresees is a Problem, and anything else that is thrown is a bug. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly detail: string;
  readonly field: string | undefined;
  readonly hints: readonly string[];
  readonly requestId: string | undefined;
  readonly instance: string | undefined;
  /** Seconds until asking again makes sense. */
  readonly retryAfter: number | undefined;
  /** The service's own address of the error type; where there is none, the document makes one. */
  readonly type: string | undefined;
  /** Whether a service lacks what was asked of it. */
  readonly missing: boolean;

  constructor(kind: ProblemKind, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.kind = kind;
    this.detail = detail;
    this.field = options.field;
    this.hints = options.hints ?? [];
    this.requestId = options.requestId;
    this.instance = options.instance;
    this.retryAfter = options.retryAfter;
    this.type = options.type;
    this.missing = options.missing ?? false;
  }

  /** The HTTP status of this kind; 0 when the failure is not an answer of a service. */
  get status(): number {
    return kinds[this.kind].status;
  }

  /** The same problem with what only the caller of an operation knows: the request's id and path. */
  within({ requestId, instance }: { readonly requestId: string; readonly instance: string }): Problem {
    return this.#with({ requestId, instance });
  }

  /** The same problem with one more hint. */
  hinting(hint: string): Problem {
    return this.#with({ hints: [...this.hints, hint] });
  }

  #with(more: ProblemOptions): Problem {
    const { field, hints, requestId, instance, retryAfter, type, missing, cause } = this;
    return new Problem(this.kind, this.detail, {
      hints,
      missing,
      cause,
      ...(field !== undefined && { field }),
      ...(requestId !== undefined && { requestId }),
      ...(instance !== undefined && { instance }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(type !== undefined && { type }),
      ...more,
    });
  }

  /** The problem document; `errorsBase` is the address under which the contract's error types are explained. */
  toDocument(errorsBase: string): ProblemDocument {
    return {
      type: this.type ?? (contractKinds.has(this.kind) ? `${errorsBase}/${this.kind}` : 'about:blank'),
      title: kinds[this.kind].title,
      status: this.status,
      detail: this.detail,
      ...(this.instance !== undefined && { instance: this.instance }),
      ...(this.requestId !== undefined && { request_id: this.requestId }),
      ...(this.field !== undefined && { field: this.field }),
    };
  }
}
