// node deploy/nats/src/print-chart-values.ts [namespace] > deploy/nats/chart-values.yaml
import { chartValues } from './chart-values.ts'

process.stdout.write(chartValues(process.argv[2]))
