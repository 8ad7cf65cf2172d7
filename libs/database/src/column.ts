import { types } from '@mikro-orm/core'
import { sql, type RawBuilder } from 'kysely'
import type { Entity, Row } from './row.ts'

/** A column of a result: the oids of its PostgreSQL types, and whether it may be null. */
export interface Column<Value> {
  readonly oids: readonly number[]
  readonly isNullable: boolean
  readonly value?: Value
}

/** The columns of a result by name. */
export type Shape = Readonly<Record<string, Column<unknown>>>

type ValueOf<C> = C extends Column<infer Value> ? Value : never

/** A row with these columns. */
export type RowOf<S extends Shape> = { -readonly [K in keyof S]: ValueOf<S[K]> }

const oidsOf = {
  uuid: [2950],
  text: [25, 1043, 19],
  boolean: [16],
  smallint: [21],
  integer: [23],
  bigint: [20],
  double: [701],
  numeric: [1700],
  timestamptz: [1184],
  date: [1082],
  bytea: [17],
  json: [3802, 114],
  'uuid[]': [2951],
  'text[]': [1009, 1015],
  'integer[]': [1007],
} as const
type TypeName = keyof typeof oidsOf

const columnOf =
  <Default>(type: TypeName) =>
  <Value extends Default = Default>(): Column<Value> => ({ oids: oidsOf[type], isNullable: false })

/** Calculated columns, which no table has. A narrower type of the value may be given. */
export const column = {
  uuid: columnOf<string>('uuid'),
  text: columnOf<string>('text'),
  boolean: columnOf<boolean>('boolean'),
  smallint: columnOf<number>('smallint'),
  integer: columnOf<number>('integer'),
  /** the driver returns text, because the value may be too large for a number */
  bigint: columnOf<string>('bigint'),
  double: columnOf<number>('double'),
  /** the driver returns text */
  numeric: columnOf<string>('numeric'),
  /** the driver returns text */
  timestamptz: columnOf<string>('timestamptz'),
  bytea: columnOf<Buffer>('bytea'),
  json: columnOf<unknown>('json'),
  uuids: columnOf<string[]>('uuid[]'),
  texts: columnOf<string[]>('text[]'),
  integers: columnOf<number[]>('integer[]'),
}

/** The same column, but it may be null, as in an outer join or an aggregate over no rows. */
export const nullable = <Value>({ oids }: Column<Value>): Column<Value | null> => ({ oids, isNullable: true })

/** The same columns, but each may be null: the optional side of an outer join. */
export const leftJoined = <S extends Shape>(shape: S) =>
  Object.fromEntries(Object.entries(shape).map(([name, each]) => [name, nullable(each)])) as {
    [K in keyof S]: Column<ValueOf<S[K]> | null>
  }

type PropertyType = { new (...args: never[]): object }

const typeNames = new Map<PropertyType, TypeName>([
  [types.uuid, 'uuid'],
  [types.string, 'text'],
  [types.text, 'text'],
  [types.boolean, 'boolean'],
  [types.smallint, 'smallint'],
  [types.integer, 'integer'],
  [types.bigint, 'bigint'],
  [types.double, 'double'],
  [types.datetime, 'timestamptz'],
  [types.date, 'date'],
  [types.blob, 'bytea'],
  [types.json, 'json'],
])

interface PropertyOptions {
  type: PropertyType | object
  fieldName?: string
  columnType?: string
  nullable?: boolean
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`)

function typeNameOf({ type, columnType }: PropertyOptions): TypeName | undefined {
  // The entity's type is number, but the driver returns text.
  if (type instanceof types.bigint && type.mode === 'number') return undefined
  const known = typeof type === 'function' ? (type as PropertyType) : (type.constructor as PropertyType)
  return known === types.array ? ((columnType ?? 'text[]') as TypeName) : typeNames.get(known)
}

const shapes = new WeakMap<Entity, Record<string, Column<unknown>>>()

/** Every column of the table, from the properties of its entity. Throws if a property has an unknown type. */
function shapeOf(entity: Entity): Record<string, Column<unknown>> {
  const known = shapes.get(entity)
  if (known) return known
  const properties = Object.entries(entity.meta.properties) as unknown as [string, PropertyOptions][]
  const shape = Object.fromEntries(
    properties.map(([property, options]) => {
      const name = typeNameOf(options)
      const oids: readonly number[] | undefined = name && oidsOf[name]
      if (!oids) throw new Error(`${entity.tableName}.${property} has a type that libs/database does not know`)
      return [options.fieldName ?? snakeCase(property), { oids, isNullable: options.nullable === true }]
    }),
  )
  shapes.set(entity, shape)
  return shape
}

/** These columns of a table, or all of them, under their own names. */
export function columns<E extends Entity, Name extends keyof Row<E> & string = keyof Row<E> & string>(
  entity: E,
  ...names: readonly Name[]
): { [K in Name]: Column<Row<E>[K]> } {
  const all = shapeOf(entity)
  const chosen = names.length === 0 ? Object.entries(all) : names.map((name) => [name, all[name]!] as const)
  return Object.fromEntries(chosen) as { [K in Name]: Column<Row<E>[K]> }
}

/** The column names as a list for `select` or `returning`, each with the table alias if one is given. */
export const listOf = (shape: Shape, alias?: string): RawBuilder<unknown> =>
  sql.raw(
    Object.keys(shape)
      .map((name) => (alias === undefined ? name : `${alias}.${name}`))
      .join(', '),
  )
