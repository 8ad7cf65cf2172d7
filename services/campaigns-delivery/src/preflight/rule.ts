import type { JsonObject } from '@bufbuild/protobuf'
import type { PreflightFacts } from './preflight-facts.ts'

/** The result of a rule. `remediation` is shown only if the rule does not hold. */
export interface CheckResult {
  readonly holds: boolean
  readonly detail: string
  readonly evidence: JsonObject
  readonly remediation: string
}

/** One check of a preflight. `otherwise` is its status if it does not hold. */
export interface Rule {
  readonly code: string
  readonly label: string
  readonly otherwise: 'warn' | 'block'
  readonly find: (facts: PreflightFacts) => CheckResult
}

/** A rule does not hold if its facts could not be read. */
export const unread = (source: string): CheckResult => ({
  holds: false,
  detail: `${source} did not answer, so this could not be checked.`,
  evidence: {},
  remediation: `Run the preflight again when ${source} answers.`,
})
