import type { EntitySchemaWithMeta, InferKyselyTable } from '@mikro-orm/postgresql'
import type { ColumnType, Kysely, SelectType } from 'kysely'
import type { Em } from './em.ts'

/** A table's definition, as `defineEntity` makes it. */
export type Entity = EntitySchemaWithMeta

/** The value that the driver answers for what an entity holds: timestamptz and bigint arrive as text. */
type Answered<T> = T extends Date | bigint ? string : T extends Uint8Array ? Buffer : T

type Columns<E extends Entity> = InferKyselyTable<E>

/** A row of the table, columns as named in the database, values as the driver answers them. */
export type Row<E extends Entity> = { [K in keyof Columns<E>]: Answered<SelectType<Columns<E>[K]>> }

type Table<E extends Entity> = {
  [K in keyof Columns<E>]: Columns<E>[K] extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<Answered<S>, I | Answered<I>, U | Answered<U>>
    : ColumnType<
        Answered<Columns<E>[K]>,
        Columns<E>[K] | Answered<Columns<E>[K]>,
        Columns<E>[K] | Answered<Columns<E>[K]>
      >
}

export type Tables<E extends Entity> = { [One in E as One['tableName']]: Table<One> }

/** Kysely in the transaction of `em`, for these tables: names as in the database, rows as `Row` says. */
export const kyselyOf = <E extends readonly Entity[]>(em: Em, ..._tables: E): Kysely<Tables<E[number]>> =>
  em.getKysely() as unknown as Kysely<Tables<E[number]>>
