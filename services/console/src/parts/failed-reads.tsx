import { LettergateError } from '@lettergate/client'
import { useState, type ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

/** What is asked of the answer of a read. */
export interface Read {
  data: unknown
  error: Error | null
  errorUpdateCount: number
  refetch: () => Promise<unknown>
}

/** How an `ErrorNotice` says that a read failed. */
export interface ReadFailure {
  error: unknown
  /** it is tried again now */
  isRetrying: boolean
  onRetry: () => void
  /** says a problem of a filter as the page would */
  inWords?: (problem: string) => string
}

/** Whether what was asked for is not there, or not any more. */
export const isGone = (error: unknown): boolean => error instanceof LettergateError && error.failure.status === 404

/** Whether a read failed and has no older answer, also while it is tried again. */
export const isMissing = ({ data, errorUpdateCount }: Read): boolean => data === undefined && errorUpdateCount > 0

/** The failure of the reads that have no older answer, also while they are tried again: the button that does it keeps the focus. */
export function useFailure(of: readonly Read[]): ReadFailure | null {
  const [last, setLast] = useState<Error | null>(null)
  const missing = of.filter(isMissing)
  const now = missing.find(({ error }) => error)?.error ?? null
  if (now && now !== last) setLast(now)
  const error = now ?? (missing.length > 0 ? last : null)
  return error && { error, isRetrying: !now, onRetry: () => missing.forEach((one) => void one.refetch()) }
}

/** Says that some of these reads failed and have no older answer, and repeats those. If none failed, it shows `children`. */
export function FailedReads({ of, children }: { of: readonly Read[]; children?: ReactNode }) {
  const failure = useFailure(of)
  return failure ? <ErrorNotice {...failure} /> : children
}
