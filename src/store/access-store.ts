/** A key as the operator sees it, without its secret. */
export type KeyRecord = {
  /** A short name for logs and for `revoke`; it is not derived from the secret. */
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** The first characters of the secret, so that its owner recognises it. */
  readonly start: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
  readonly expiresAt?: string;
  /** The instant until which the secret before the last rotation is valid too. */
  readonly previousUntil?: string;
};

/** A key with the SHA-256 (hex) of its secret, and that of the secret before the last rotation. */
export type StoredKey = KeyRecord & { readonly hash: string; readonly previousHash?: string };

/** The windows in which requests are counted. */
export type WindowName = 'minute' | 'day' | 'month';

/** The number of requests of a key in the window that began at an instant. */
export type UsageRecord = {
  readonly keyId: string;
  readonly window: WindowName;
  readonly began: Date;
  readonly count: number;
};

/** How an access store is opened. */
export type AccessOptions = {
  /** Whether this process counts requests; only one process at a time may. */
  readonly counting: boolean;
};

/** A window that a request falls into, and how many requests it may have. */
export type CountedWindow = {
  readonly window: WindowName;
  readonly began: Date;
  readonly ends: Date;
  readonly limit: number;
};

/** How many requests were counted, and the windows afterwards. */
export type Counts = {
  readonly granted: number;
  readonly counts: readonly Omit<UsageRecord, 'keyId'>[];
};

/** The keys of a service and their usage, kept apart from the facts. */
export interface AccessStore {
  /** A number that grows with every change of keys, by this process or another. */
  version(): Promise<number>;
  keys(): Promise<readonly StoredKey[]>;
  addKey(key: StoredKey): Promise<void>;
  /** Revokes a key and returns its record; a second call keeps the first time. Undefined for an unknown id. */
  revokeKey(id: string, revokedAt: string): Promise<KeyRecord | undefined>;
  /**
   * Gives a key a new secret; the current one stays valid until an instant, an older one no longer. Undefined for an
   * unknown or revoked id, and for a key that has two secrets at the instant `sole`, if that is given.
   */
  rotateKey(
    id: string,
    secret: Pick<StoredKey, 'hash' | 'start'>,
    previousUntil: string,
    sole?: string,
  ): Promise<KeyRecord | undefined>;
  /** The latest window of each kind that each key used. */
  usage(): Promise<readonly UsageRecord[]>;
  saveUsage(records: readonly UsageRecord[]): Promise<void>;
  /**
   * Counts up to `wanted` requests of a key, as many as all its windows have room for, exactly across all processes.
   * An access store without this method is for one process, which counts in memory and saves.
   */
  readonly count?: (keyId: string, wanted: number, windows: readonly CountedWindow[]) => Promise<Counts>;
  close(): Promise<void>;
}

/** A lock that other processes cannot take until it is closed or its process ends. */
export interface Lock {
  close(): Promise<void>;
}
