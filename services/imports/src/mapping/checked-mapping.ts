import { Fault } from '@lettergate/fault'
import { mappingProblems, type MappedFile, type Mapping } from './import-mapping.ts'
import { consentPolicies, parsePolicy, type ConsentPolicy, type ImportPolicy } from './import-policy.ts'
import type { GivenMapping } from './apply-profile.ts'

/** A mapping that fits the file. Its custom fields may still be undefined. */
export interface CheckedMapping {
  readonly mapping: Mapping
  readonly consentPolicy: ConsentPolicy
  readonly policy: ImportPolicy
}

/** Most problems that one refusal names. */
const problemsMax = 20
/** Most headers that one mapping names. A file has no more columns. */
const mappedMax = 1_000

/** The Fault for all problems, one a line. Each begins with the field that is wrong, and the first one is the reason. */
export function mappingFault(problems: readonly string[]): Fault {
  const [reason] = problems[0]!.split(':')
  return new Fault('invalid_argument', reason!, problems.slice(0, problemsMax).join('\n'))
}

/**
 * Checks consent policy, mapping and policy for a file, and names each problem. `checked` is usable if nobody finds a problem. Throws
 * Fault `invalid_argument` for a mapping that is too large to be checked.
 */
export function checkMapping(
  { mapping, policy: given }: GivenMapping,
  givenPolicy: string,
  file: MappedFile,
): { checked: CheckedMapping; problems: string[] } {
  if (Object.keys(mapping).length > mappedMax)
    throw mappingFault([`mapping: it has more than ${mappedMax} headers. Send only those of the file.`])
  const consentPolicy = consentPolicies.find((one) => one === givenPolicy)
  const { policy, problems } = parsePolicy(given, consentPolicy)
  return {
    checked: { mapping, consentPolicy: consentPolicy ?? 'review_required', policy },
    problems: [
      ...(consentPolicy === undefined ? [`consent_policy: it must be one of ${consentPolicies.join(', ')}.`] : []),
      ...mappingProblems(mapping, file, consentPolicy === 'status_column'),
      ...problems,
    ],
  }
}
