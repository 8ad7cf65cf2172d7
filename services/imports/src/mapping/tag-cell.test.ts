import { expect, test } from '@jest/globals'
import { joinTags } from './tag-cell.ts'

test.each([
  ['', ''],
  ['news', 'news'],
  [' news ; vip;; ', 'news;vip'],
  ['news;vip', 'news;vip'],
  [';', ''],
  ['news, vip', 'news, vip'],
  ['"news","very important"', 'news;very important'],
  ['"5"" disk" , "vip"', '5" disk;vip'],
  ['"news', '"news'],
])('the cell %j has the tags %j', (cell, expected) => expect(joinTags(cell)).toBe(expected))
