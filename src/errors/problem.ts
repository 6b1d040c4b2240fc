/** The contract's six error types, other HTTP errors, and the failures of the client's own machine. */
export type ProblemKind =
  | 'validation-error'
  | 'unauthorized'
  | 'plan-upgrade-required'
  | 'not-found'
  | 'rate-limit-exceeded'
  | 'internal-error'
  | 'data-changed'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'uri-too-long'
  | 'header-fields-too-large'
  | 'service-unavailable'
  | 'bad-input'
  | 'unreachable'
  | 'bad-answer'
  | 'no-rows'
  | 'inexact'
  | 'too-old'
  | 'local-io'
  | 'interrupted';

const kinds: Record<ProblemKind, { readonly status: number; readonly title: string }> = {
  'validation-error': { status: 400, title: 'Validation Error' },
  // The contract has no type for it: on the wire it is a validation error of the cursor.
  'data-changed': { status: 400, title: 'Validation Error' },
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
  inexact: { status: 0, title: 'Not Exact' },
  'too-old': { status: 0, title: 'Too Old' },
  'local-io': { status: 0, title: 'Local File Error' },
  interrupted: { status: 0, title: 'Interrupted' },
};

/** The contract's error types, by the kinds that have one. */
const contractTypes: Readonly<Partial<Record<ProblemKind, string>>> = {
  'validation-error': 'validation-error',
  'data-changed': 'validation-error',
  unauthorized: 'unauthorized',
  'plan-upgrade-required': 'plan-upgrade-required',
  'not-found': 'not-found',
  'rate-limit-exceeded': 'rate-limit-exceeded',
  'internal-error': 'internal-error',
};

/** The optional parts of a problem. */
export type ProblemOptions = {
  readonly field?: string | undefined;
  readonly hints?: readonly string[];
  readonly requestId?: string | undefined;
  readonly instance?: string | undefined;
  readonly retryAfter?: number | undefined;
  /** The address under which the service explains this type of error. */
  readonly type?: string | undefined;
  /** Whether the service lacks the endpoint or the parameter that was asked for. */
  readonly missing?: boolean;
  /** The series that failed, of a question that may be about several. */
  readonly series?: string;
  readonly cause?: unknown;
};

/** What a copy of a problem may change. */
export type ProblemChanges = ProblemOptions & {
  readonly kind?: ProblemKind;
  readonly detail?: string;
};

/** An RFC 9457 problem document, as in part 7 of the contract; without an answer of a service it has no status. */
export type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status?: number;
  readonly detail: string;
  readonly instance?: string;
  readonly request_id?: string;
  readonly field?: string;
};

/** The only error class: asof throws a Problem for every failure it foresees; any other error is a bug. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly detail: string;
  readonly field: string | undefined;
  readonly hints: readonly string[];
  readonly requestId: string | undefined;
  readonly instance: string | undefined;
  /** Seconds to wait before the next request. */
  readonly retryAfter: number | undefined;
  /** The address under which the service explains this type of error; the document makes one if it is undefined. */
  readonly type: string | undefined;
  /** Whether the service lacks the endpoint or the parameter that was asked for. */
  readonly missing: boolean;
  /** The series that failed, of a question that may be about several. */
  readonly series?: string;

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
    if (options.series !== undefined) this.series = options.series;
  }

  /** The HTTP status of this kind; 0 for a failure of the client's own machine. */
  get status(): number {
    return kinds[this.kind].status;
  }

  /** A copy of this problem with some of it changed. */
  with({ kind = this.kind, detail = this.detail, ...options }: ProblemChanges): Problem {
    return new Problem(kind, detail, { ...this, cause: this.cause, ...options });
  }

  /** The problem document; `errorsBase` is the address of the pages that explain the contract's error types. */
  toDocument(errorsBase: string): ProblemDocument {
    const type = contractTypes[this.kind];
    // The same kind of failure can also come from asof itself; only an answer of a service has a status.
    const isAnswer = [this.instance, this.requestId, this.type].some((part) => part !== undefined);
    return {
      type: this.type ?? (type === undefined ? 'about:blank' : `${errorsBase}/${type}`),
      title: kinds[this.kind].title,
      ...(isAnswer && this.status > 0 && { status: this.status }),
      detail: this.detail,
      ...(this.instance !== undefined && { instance: this.instance }),
      ...(this.requestId !== undefined && { request_id: this.requestId }),
      ...(this.field !== undefined && { field: this.field }),
    };
  }
}
