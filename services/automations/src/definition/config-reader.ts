import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { fitsIn } from '@lettergate/values/text'
import { parseUuid } from '@lettergate/values/uuid'
import { contactFields, customKeyOf } from './definition.ts'

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the fields of one object, and adds a problem with its path for each that does not fit. Then the result is not used. */
export type ConfigReader = ReturnType<typeof configReader>

const tagCharsMax = 100
const customKeyPattern = /^[a-z][a-z0-9_]{0,99}$/

export function configReader(given: JsonValue | undefined, path: string, problems: string[]) {
  const values: JsonObject = isObject(given) ? given : {}
  if (!isObject(given)) problems.push(`${path} must be an object.`)
  const read = new Set<string>()
  const take = (name: string): JsonValue | undefined => {
    read.add(name)
    return Object.hasOwn(values, name) ? values[name] : undefined
  }
  const refuse = (name: string, expected: string) => {
    problems.push(`${path}.${name} ${take(name) === undefined ? 'is required' : 'must be'}${expected}.`)
  }

  const text = (name: string, max: number): string => {
    const value = take(name)
    if (typeof value === 'string' && value.trim() !== '' && fitsIn(max, value) && !value.includes('\u0000'))
      return value
    refuse(name, value === undefined ? '' : ` a text of 1 to ${max} characters`)
    return ''
  }

  return {
    path,
    problems,
    take,
    has: (name: string): boolean => Object.hasOwn(values, name),
    text,

    /** the name or the id of a tag; an id in lower case */
    tag(name: string): string {
      const given = text(name, tagCharsMax).trim()
      return parseUuid(given) ?? given
    },

    /** in lower case */
    uuid(name: string): string {
      const value = take(name)
      const id = typeof value === 'string' ? parseUuid(value) : undefined
      if (id !== undefined) return id
      refuse(name, value === undefined ? '' : ' a UUID')
      return ''
    },

    integer(name: string, min: number, max: number): number {
      const value = take(name)
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
      refuse(name, value === undefined ? '' : ` a whole number from ${min} to ${max}`)
      return 0
    },

    /** `first_name`, …, `custom.<key>` */
    contactField(name: string): string {
      const value = take(name)
      if (typeof value === 'string') {
        const key = customKeyOf(value)
        if (key === undefined ? contactFields.some((field) => field === value) : customKeyPattern.test(key))
          return value
      }
      refuse(name, value === undefined ? '' : ` custom.<field_key> or one of ${contactFields.join(', ')}`)
      return ''
    },

    /** Adds a problem for each field that was not read, because a misspelled field would be ignored otherwise. */
    refuseOthers(): void {
      for (const name of Object.keys(values).filter((given) => !read.has(given)))
        problems.push(`${path}.${oneLine(name)} is not a field here. Remove it.`)
    },
  }
}

/** Names of the caller may contain line breaks, and each line of an answer is one problem. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 160)
