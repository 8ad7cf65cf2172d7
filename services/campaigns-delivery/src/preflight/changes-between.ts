import type { PreflightCheck } from './report.ts'

type Status = PreflightCheck['status']

/** A check whose status differs between two reports. Undefined: the report does not have this check. */
export interface PreflightChange {
  code: string
  label: string
  before: Status | undefined
  after: Status | undefined
}

type Checks = readonly Pick<PreflightCheck, 'code' | 'label' | 'status'>[]

/** The checks whose status changed, in the order of the later report, then those that it no longer has. */
export function changesBetween(before: Checks, after: Checks): PreflightChange[] {
  const statusIn = (checks: Checks, code: string) => checks.find((check) => check.code === code)?.status
  const dropped = before.filter(({ code }) => statusIn(after, code) === undefined)
  return [...after, ...dropped]
    .map(({ code, label }) => ({ code, label, before: statusIn(before, code), after: statusIn(after, code) }))
    .filter((change) => change.before !== change.after)
}
