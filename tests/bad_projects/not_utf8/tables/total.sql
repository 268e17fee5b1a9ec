select id, 'café' as place
from x
