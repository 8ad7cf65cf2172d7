import type { ValidateFunction } from 'ajv'
import { Fault } from '@lettergate/fault'
import type { Parameter } from './load-document.ts'
import { refuseUnsafeText } from './unsafe-json.ts'
import { describeErrors, oneLine } from './validate.ts'

export interface QueryRule {
  parameter: Parameter
  validate: ValidateFunction
}

const convert = (text: string, type: unknown): unknown => {
  const types = [type].flat()
  if ((types.includes('integer') || types.includes('number')) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text))
    return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Reads the declared query parameters, converted to their types; others are ignored. Only a list may be repeated. */
export function readQuery(rules: readonly QueryRule[], search: string): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  if (rules.length === 0) return values
  const given = new URLSearchParams(search)
  const problems: string[] = []
  for (const { parameter, validate } of rules) {
    const { name } = parameter
    const all = given.getAll(name)
    const isList = parameter.schema['type'] === 'array'
    if (all.length > 1 && !isList) problems.push(`${name} is given more than once.`)
    else if (all.length === 0) {
      if (parameter.required) problems.push(`${name} is required.`)
    } else {
      for (const text of all) refuseUnsafeText(text, name)
      const value = isList ? all : convert(all[0]!, parameter.schema['type'])
      if (validate(value)) values[name] = value
      else
        problems.push(
          ...describeErrors(validate.errors ?? []).map(({ sentence }) => sentence.replace(/^body|^(?=\[)/, name)),
        )
    }
  }
  if (problems.length > 0)
    throw new Fault('invalid_argument', problems[0]!.split(' ', 1)[0]!, problems.map(oneLine).join('\n'))
  return values
}
