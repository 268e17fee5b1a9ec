{{ clean() }}
