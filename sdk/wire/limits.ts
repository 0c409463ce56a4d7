/** The bounds of the contract. Sizes of text are in UTF-8 bytes, times in milliseconds, unless a name says otherwise. */
export const limits = {
  /** A lock id is 1 to 512 bytes: IAM's tools cap a resource name at 2,048 characters, and each byte may need four. */
  lockIdBytes: 512,
  /** 22 characters of base64url carry 128 bits; above 43 (256 bits) a token only makes the item dearer. */
  ownerTokenLength: { min: 22, max: 43 },
  holderBytes: 256,
  noteBytes: 256,
  leaseMs: { min: 1_000, default: 30_000 },
  /** What a deployment allows unless it sets `maxLeaseMs`, and the most it may set. */
  maxLeaseMs: { default: 3_600_000, ceiling: 86_400_000 },
  /** One request waits at most 20 s: the gateway cuts it at 29 s. */
  waitMs: { max: 20_000 },
  bodyBytes: 4_096,
  /** How many may stand in line for one lock: what a deployment may set. Each makes the item larger, and so dearer. */
  lineLimit: { min: 1, max: 64, default: 64 },
  list: { limit: { default: 100, max: 1_000 } },
} as const;
