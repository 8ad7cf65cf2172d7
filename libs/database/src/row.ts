import type { EntitySchemaWithMeta, InferKyselyTable } from '@mikro-orm/postgresql'
import type { ColumnType, Kysely, SelectType } from 'kysely'
import type { Em } from './em.ts'

/** The definition of a table, as returned by `defineEntity`. */
export type Entity = EntitySchemaWithMeta

/** The value that the driver returns for a property: timestamptz and bigint are text. */
type DriverValue<T> = T extends Date | bigint ? string : T extends Uint8Array ? Buffer : T

type Columns<E extends Entity> = InferKyselyTable<E>

/** A row of the table, with the column names of the database and the values of the driver. */
export type Row<E extends Entity> = { [K in keyof Columns<E>]: DriverValue<SelectType<Columns<E>[K]>> }

type Table<E extends Entity> = {
  [K in keyof Columns<E>]: Columns<E>[K] extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<DriverValue<S>, I | DriverValue<I>, U | DriverValue<U>>
    : ColumnType<
        DriverValue<Columns<E>[K]>,
        Columns<E>[K] | DriverValue<Columns<E>[K]>,
        Columns<E>[K] | DriverValue<Columns<E>[K]>
      >
}

export type Tables<E extends Entity> = { [One in E as One['tableName']]: Table<One> }

/** Kysely in the transaction of `em`, typed for these tables: column names of the database, rows of type `Row`. */
export const kyselyOf = <E extends readonly Entity[]>(em: Em, ..._tables: E): Kysely<Tables<E[number]>> =>
  em.getKysely() as unknown as Kysely<Tables<E[number]>>
