/** Keeps every other process away from what it stands for, until it is closed or its process ends. */
export type Lock = { readonly close: () => void };
