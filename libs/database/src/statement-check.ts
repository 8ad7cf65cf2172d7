import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Shape } from './column.ts'

interface Checking {
  /** the fields of each result, by its rows */
  readonly fields: WeakMap<object, readonly Field[]>
  readonly executed: Set<string>
  /** each process adds the names of the statements that it executed to a file of its own in this directory */
  readonly directory: string | undefined
}

interface Field {
  name: string
  dataTypeID: number
}

let checking: Checking | undefined

/** Turns the checks on: each result of a declared statement is compared with its shape. Only tests call this. */
export function checkStatements(directory?: string): void {
  checking ??= { fields: new WeakMap(), executed: new Set(), directory }
}

/** Stores the columns of a result until its shape is checked. */
export function recordFields<R>(result: R): R {
  const { rows, fields } = result as { rows?: object; fields?: readonly Field[] }
  if (checking && rows && fields) checking.fields.set(rows, fields)
  return result
}

export const isChecking = (): boolean => checking !== undefined

export function recordExecuted(name: string): void {
  if (!checking || checking.executed.has(name)) return
  checking.executed.add(name)
  if (checking.directory) appendFileSync(join(checking.directory, `${process.pid}.txt`), `${name}\n`)
}

/** Throws in tests if these rows do not match the declared shape. */
export function checkShape(name: string, shape: Shape, rows: readonly unknown[]): void {
  if (!checking) return
  recordExecuted(name)
  const fields = checking.fields.get(rows)
  if (!fields) throw new Error(`the statement ${name} has rows of an unknown origin: its shape cannot be checked`)
  const wrong = [...wrongFields(shape, fields), ...wrongNulls(shape, rows as readonly Record<string, unknown>[])]
  if (wrong.length > 0) throw new Error(`the statement ${name} does not answer what it declares: ${wrong.join('; ')}`)
}

function wrongFields(shape: Shape, fields: readonly Field[]): string[] {
  const declared = Object.keys(shape)
  const answered = new Set(fields.map(({ name }) => name))
  return [
    ...declared.filter((name) => !answered.has(name)).map((name) => `${name} is missing`),
    ...fields.flatMap(({ name, dataTypeID }) => {
      const column = shape[name]
      if (!column) return [`${name} is not declared`]
      if (column.oids.includes(dataTypeID)) return []
      return [`${name} is of the type with oid ${dataTypeID}, declared ${column.oids.join(' or ')}`]
    }),
    ...(answered.size < fields.length ? ['two columns have the same name'] : []),
  ]
}

function wrongNulls(shape: Shape, rows: readonly Record<string, unknown>[]): string[] {
  const never = Object.keys(shape).filter((name) => !shape[name]!.isNullable)
  return never
    .filter((name) => rows.some((row) => row[name] === null))
    .map((name) => `${name} is null, and is not declared nullable`)
}
