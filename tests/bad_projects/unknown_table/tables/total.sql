select id
from orders
