/** What a form calls fields and values: a text for each name of the API. */
export type FieldLabels = Readonly<Record<string, string>>

/** The name or path of a field with which a problem begins, such as `allowed_origins[0]` or `policy: consent_basis`. */
const leadingPath = /^(?:policy: )?[a-z]\w*(?:\.\w+|\[\d+\])*(?=[ :])/
/** Parts of a path that say nothing to a user. */
const containers = new Set(['policy', 'definition', 'config'])
const apiName = /\b[a-z]+(?:_[a-z]+)+\b/g

const stepsOf = (path: string) => (path.match(/\w+/g) ?? []).filter((step) => !containers.has(step))

/** The names of the fields with which the problems of a refusal begin. */
export const fieldsIn = (message: string): string[] =>
  message.split('\n').flatMap((problem) => stepsOf(leadingPath.exec(problem)?.[0] ?? '').slice(0, 1))

/**
 * A problem as a reader of the form would say it. The path of the field with which it begins becomes words:
 * `allowed_origins[0] must be …` → “Allowed origins, entry 1 must be …”. `labels` are what the form says instead.
 */
export function fieldInWords(problem: string, labels: FieldLabels = {}): string {
  const [path = ''] = leadingPath.exec(problem) ?? []
  const words = stepsOf(path).map((step) =>
    /^\d+$/.test(step) ? `entry ${Number(step) + 1}` : (labels[step] ?? step.replaceAll('_', ' ')),
  )
  const begin = words.join(', ') || path
  const rest = problem.slice(path.length).replaceAll(apiName, (name) => labels[name] ?? name)
  const said = begin + rest
  return said.charAt(0).toUpperCase() + said.slice(1)
}
