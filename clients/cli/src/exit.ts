import type { Failure } from '@lettergate/client'

/** The exit statuses, for scripts. */
export const exits = {
  done: 0,
  /** The service refused the request. */
  refused: 1,
  /** The command is wrong, or a confirmation is missing. Nothing was sent. */
  usage: 2,
  /** No token, or one that is not valid. */
  notSignedIn: 3,
  /** No answer, or not now. Try again later. */
  later: 4,
  /** The answer is no: not eligible, blocked, failed, or a problem that `doctor` found. */
  no: 5,
} as const

export type Exit = (typeof exits)[keyof typeof exits]

/** The command cannot be done as it was written. */
export class UsageError extends Error {}

/** The service did not do it. */
export class RefusedError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

const laterStatuses = new Set([0, 408, 429, 500, 502, 503, 504])

/** The exit status for a failure. */
export function exitOf({ status }: Failure): Exit {
  if (status === 401) return exits.notSignedIn
  return laterStatuses.has(status) ? exits.later : exits.refused
}

/** What to do about a failure that its message does not say. */
export function adviceOn({ status, retryAfter }: Failure): string | undefined {
  if (status === 401) return 'Sign in with `lettergate sign-in`, or set LETTERGATE_TOKEN.'
  if (status === 404)
    return 'An object of a workspace in which you are not a member looks the same. `lettergate workspaces` lists yours.'
  if (status === 429) return `Try again in ${retryAfter ?? 60} seconds.`
  if (status === 0) return '`lettergate doctor` checks the deployment.'
  return undefined
}
