import type { CompiledMapping, MappedRow, UnusableRow } from '../mapping/compile-mapping.ts'
import { isRefusal } from '../mapping/import-policy.ts'
import type { DamagedRow } from '../reading/read-records.ts'

/**
 * What a row says of its address, if its cells may be in wrong columns: too few or too many cells, or wrong quotes. Its cells are
 * aligned from the left. If it refuses, the refusal counts, without the other values. If it has too few cells, its status counts.
 * Otherwise its status is unknown, and so it is for an address that is found only from the right. A row with wrong quotes is read
 * with regard to them and without, and what restricts more counts.
 */
export function raggedRow(row: DamagedRow, columns: number, mapRow: CompiledMapping['mapRow']): RowMeaning {
  const { problem, cells, plainCells } = row
  const readings = (plainCells ? [cells, plainCells] : [cells]).map((each) =>
    alignedRow({ ...row, cells: each }, columns, mapRow),
  )
  const meanings = readings.filter((one) => typeof one !== 'string')
  return meanings.find(({ status }) => isRefusal(status)) ?? meanings[0] ?? problem
}

type RowMeaning = MappedRow | UnusableRow | string

function alignedRow(
  { problem, cells, damagedColumns }: DamagedRow,
  columns: number,
  mapRow: CompiledMapping['mapRow'],
): RowMeaning {
  const all = Array.from({ length: columns }, (_, column) => column)
  const missing: string[] = all.slice(cells.length).map(() => '')
  const fromLeft = [...cells.slice(0, columns), ...missing]
  const left = mapRow(fromLeft, [...damagedColumns, ...all.slice(cells.length)])
  if (typeof left !== 'string' && isRefusal(left.status)) {
    return 'values' in left ? { ...left, values: left.values.map((value, n) => (n === 0 ? value : '')) } : left
  }
  const isLeft = typeof left !== 'string'
  const found =
    isLeft && problem === 'too_few_cells'
      ? left
      : mapRow(isLeft ? fromLeft : [...missing, ...cells.slice(-columns)], all)
  return typeof found === 'string' ? problem : { problem, address: found.address, status: found.status }
}
