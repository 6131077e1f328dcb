UPDATE sweep SET total = 1000000000; UPDATE options SET value = 'e=0..1:1000000000' WHERE value = '@e.csv'
