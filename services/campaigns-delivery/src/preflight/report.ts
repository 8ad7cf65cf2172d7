import type { JsonObject } from '@bufbuild/protobuf'
import { deliveryRules } from './delivery-rules.ts'
import { launchRules } from './launch-rules.ts'
import type { PreflightFacts } from './preflight-facts.ts'
import { practiceRules } from './practice-rules.ts'

/** A check of a report. `evidence` is what it read; `remediation` is what a person must do. */
export interface PreflightCheck {
  code: string
  label: string
  detail: string
  status: 'pass' | 'warn' | 'block'
  evidence: JsonObject
  remediation: string
}

/** What a preflight found. Its checksum covers exactly this. */
export interface PreflightReport {
  status: 'passed' | 'blocked'
  summary: { passed: number; blocked: number; warnings: number }
  checks: PreflightCheck[]
}

/** In the order of the report. */
const rules = [...launchRules, ...practiceRules, ...deliveryRules]

/** Checks these facts. The report is blocked if a check that a launch needs does not hold, or could not be read. */
export function reportOf(facts: PreflightFacts): PreflightReport {
  const checks = rules.map(({ code, label, otherwise, find }): PreflightCheck => {
    const { holds, detail, evidence, remediation } = find(facts)
    const status = holds ? 'pass' : otherwise
    return { code, label, detail, status, evidence, remediation: holds ? 'Nothing to do.' : remediation }
  })
  const count = (status: PreflightCheck['status']) => checks.filter((check) => check.status === status).length
  const summary = { passed: count('pass'), blocked: count('block'), warnings: count('warn') }
  return { status: summary.blocked > 0 ? 'blocked' : 'passed', summary, checks }
}
