/** A key without its secret, as the operator sees it. */
export type KeyRecord = {
  /** A short name for logs and for `revoke`, not derived from the secret. */
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** The first characters of the secret, by which its owner recognises the key. */
  readonly start: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
  readonly expiresAt?: string;
  /** The secret before the last rotation is valid until then. */
  readonly previousUntil?: string;
};

/** A key with the SHA-256 (hex) of both its secrets. */
export type StoredKey = KeyRecord & { readonly hash: string; readonly previousHash?: string };

export type WindowName = 'minute' | 'day' | 'month';

/** The number of requests of a key in one window. */
export type UsageRecord = {
  readonly keyId: string;
  readonly window: WindowName;
  readonly began: Date;
  readonly count: number;
};

/** Options of `openAccess`. */
export type AccessOptions = {
  /** True if this process counts requests, as only one at a time may. */
  readonly counting: boolean;
};

export type CountedWindow = {
  readonly window: WindowName;
  readonly began: Date;
  readonly ends: Date;
  readonly limit: number;
};

export type Counts = {
  readonly granted: number;
  readonly counts: readonly Omit<UsageRecord, 'keyId'>[];
};

/** The keys of a service and their usage. */
export interface AccessStore {
  /** Returns a number that grows when this or another process changes a key. */
  version(): Promise<number>;
  keys(): Promise<readonly StoredKey[]>;
  addKey(key: StoredKey): Promise<void>;
  /** Revokes a key and returns its record, undefined for an unknown id; a second call keeps the first time. */
  revokeKey(id: string, revokedAt: string): Promise<KeyRecord | undefined>;
  /**
   * Gives a key a new secret; its current secret stays valid until `previousUntil`, an older one does not.
   * Returns undefined for an unknown or revoked id, and for a key that has two secrets at the instant `sole`.
   */
  rotateKey(
    id: string,
    secret: Pick<StoredKey, 'hash' | 'start'>,
    previousUntil: string,
    sole?: string,
  ): Promise<KeyRecord | undefined>;
  /** Lists the latest window of each kind for each key. */
  usage(): Promise<readonly UsageRecord[]>;
  saveUsage(records: readonly UsageRecord[]): Promise<void>;
  /**
   * Counts up to `wanted` requests of a key, as many as all windows have room for, exactly across processes.
   * If absent, the store is for one process, which counts in memory and saves.
   */
  readonly count?: (keyId: string, wanted: number, windows: readonly CountedWindow[]) => Promise<Counts>;
  close(): Promise<void>;
}

/** A lock, released when it is closed or its process ends. */
export interface Lock {
  close(): Promise<void>;
}
