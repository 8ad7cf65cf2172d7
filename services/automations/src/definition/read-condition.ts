import { configReader, isObject, type ConfigReader } from './config-reader.ts'
import { operators, type SubjectComparison, type EdgeCondition, type JsonValue, type Operator } from './definition.ts'

const depthMax = 5
const partsMax = 20
const listMax = 100
const textCharsMax = 500

const subjects = ['field', 'tag', 'audience_id', 'score'] as const
type SubjectName = (typeof subjects)[number]

/** The operators of each subject. A tag is there or not, and so is an active membership of an audience. */
const operatorsOf: Record<SubjectName, readonly Operator[]> = {
  field: operators,
  tag: ['exists', 'not_exists'],
  audience_id: ['exists', 'not_exists'],
  score: ['equals', 'not_equals', 'greater_than', 'less_than', 'in'],
}

const nothing: EdgeCondition = { all: [] }

/** Reads a condition, at most five levels deep. The result is usable only if no problem was added. */
export function readCondition(
  given: JsonValue | undefined,
  path: string,
  problems: string[],
  depth = 1,
): EdgeCondition {
  if (depth > depthMax) {
    problems.push(`${path} is nested too deeply. Use at most ${depthMax} levels.`)
    return nothing
  }
  const condition = configReader(given, path, problems)
  if (!isObject(given)) return nothing
  const below = (part: JsonValue | undefined, at: string) => readCondition(part, at, problems, depth + 1)
  const list = (name: 'all' | 'any'): EdgeCondition[] => {
    const parts = condition.take(name)
    if (Array.isArray(parts) && parts.length > 0 && parts.length <= partsMax)
      return parts.map((part, index) => below(part, `${path}.${name}[${index}]`))
    problems.push(`${path}.${name} must be a list of 1 to ${partsMax} conditions.`)
    return []
  }
  const read = readOne()
  condition.refuseOthers()
  return read

  function readOne(): EdgeCondition {
    if (condition.has('all')) return { all: list('all') }
    if (condition.has('any')) return { any: list('any') }
    if (condition.has('not')) return { not: below(condition.take('not'), `${path}.not`) }
    return readComparison(condition)
  }
}

function readComparison(condition: ConfigReader): EdgeCondition {
  const { path, problems } = condition
  const named = subjects.filter((name) => condition.has(name))
  const [name] = named
  if (name === undefined || named.length > 1) {
    problems.push(`${path} must have exactly one of all, any, not, ${subjects.join(', ')}.`)
    for (const read of [...subjects, 'operator', 'value']) condition.take(read)
    return nothing
  }
  const subject = readSubject(condition, name)
  const given = condition.take('operator')
  const operator = operatorsOf[name].find((known) => known === given)
  const value = condition.take('value')
  if (operator === undefined) {
    problems.push(`${path}.operator must be one of ${operatorsOf[name].join(', ')} for ${name}.`)
    return nothing
  }
  checkValue({ name, operator, value }, `${path}.value`, problems)
  return { subject, operator, value: value ?? null }
}

function readSubject(condition: ConfigReader, name: SubjectName): SubjectComparison['subject'] {
  if (name === 'field') return { field: condition.contactField('field') }
  if (name === 'tag') return { tag: condition.tag('tag') }
  if (name === 'audience_id') return { audienceId: condition.uuid('audience_id') }
  if (condition.take('score') !== true) condition.problems.push(`${condition.path}.score must be true.`)
  return { score: true }
}

function checkValue(
  { name, operator, value }: { name: SubjectName; operator: Operator; value: JsonValue | undefined },
  path: string,
  problems: string[],
): void {
  if (operator === 'exists' || operator === 'not_exists') {
    if (value !== undefined && value !== null) problems.push(`${path} must be left out with ${operator}.`)
  } else if (operator === 'in') {
    if (!Array.isArray(value) || value.length === 0 || value.length > listMax || !value.every(isComparable))
      problems.push(`${path} must be a list of 1 to ${listMax} texts or numbers with ${operator}.`)
  } else if (value === undefined || !isComparable(value)) {
    problems.push(`${path} must be a text of at most ${textCharsMax} characters, a number, true or false.`)
  }
  if (name === 'score' && [value].flat().some((one) => typeof one !== 'number'))
    problems.push(`${path} must be a number, because the score is one.`)
}

const isComparable = (value: JsonValue): boolean =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.length <= textCharsMax && !value.includes('\u0000'))
