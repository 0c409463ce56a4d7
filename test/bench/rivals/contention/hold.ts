/** One hold of a lock, at its four moments by {@link hostMs}, the clock that all processes of the machine share. */
export interface Hold {
  readonly contender: number;
  /** lock() was called. */
  readonly askedMs: number;
  /** lock() returned. */
  readonly grantedMs: number;
  /** release() was called. */
  readonly releaseAskedMs: number;
  /** release() returned. */
  readonly releasedMs: number;
}

/** A contender that had asked, and had got nothing when the run was over. */
export interface Ask {
  readonly contender: number;
  readonly askedMs: number;
}
