/** The tags of contacts in benchmarks, and the SQL expression of the tags of contact number `n`. */
export const tagNames = ['second', 'third'] as const
export const tagsOfPerson = `array_remove(array[case when n % 2 = 0 then 'second' end, case when n % 3 = 0 then 'third' end], null)`
