/** A key as the operator sees it; the secret itself is nowhere. */
export type KeyRecord = {
  /** A short name for logs and for `revoke`, not made from the secret. */
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** The first characters of the secret, by which its owner can tell it from others. */
  readonly start: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
};

/** A key with the SHA-256 (hex) by which it is recognised. */
export type StoredKey = KeyRecord & { readonly hash: string };

/** The windows in which requests are counted. */
export type WindowName = 'minute' | 'day' | 'month';

/** How many requests of a key count in the window that began at an instant. */
export type UsageRecord = {
  readonly keyId: string;
  readonly window: WindowName;
  readonly began: Date;
  readonly count: number;
};

/** How an access store is opened. */
export type AccessOptions = {
  /** Whether to count requests in it: one process alone may, because it counts in memory. */
  readonly counting: boolean;
};

/** Keys and what they used, apart from the facts. Without promises, because every request asks it and it lies beside the service. */
export interface AccessStore {
  /** A number that grows whenever anybody, this process or another, changed the keys. */
  version(): number;
  keys(): readonly StoredKey[];
  addKey(key: StoredKey): void;
  /** The key as it is after it was revoked, now or earlier; undefined when there is none. */
  revokeKey(id: string, revokedAt: string): KeyRecord | undefined;
  /** The latest window of each kind that each key used. */
  usage(): readonly UsageRecord[];
  saveUsage(records: readonly UsageRecord[]): void;
  close(): void;
}
