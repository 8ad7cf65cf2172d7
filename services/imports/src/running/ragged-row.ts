import type { CompiledMapping, MappedRow, UnusableRow } from '../mapping/compile-mapping.ts'
import { isRefusal } from '../mapping/import-policy.ts'
import type { DamagedRow } from '../reading/read-records.ts'

/**
 * What a row with too few or too many cells says of its address. Its cells are aligned from the left. If it refuses, the refusal
 * counts, without the other values, which may be in wrong columns. Other rows with too many cells have an unknown status. If no
 * address is found from the left, one that is found from the right has an unknown status too.
 */
export function raggedRow(
  { problem, cells, damagedColumns }: DamagedRow,
  columns: number,
  mapRow: CompiledMapping['mapRow'],
): MappedRow | UnusableRow | string {
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
